import type { Message, Part } from "@midfold/core";

/** Joins assistant messages that stand next to each other: protocols of items spread one turn over several. */
export function mergeAssistants(messages: readonly Message[]): Message[] {
  return mergeNeighbours(messages, (message) => message.role === "assistant");
}

/** Joins user messages that stand next to each other. */
export function mergeUsers(messages: readonly Message[]): Message[] {
  return mergeNeighbours(messages, (message) => message.role === "user");
}

function mergeNeighbours(messages: readonly Message[], joins: (message: Message) => boolean): Message[] {
  const merged: Message[] = [];
  // Parts are collected in place, so that a long run of neighbours costs linear time.
  let open: Part[] | undefined;
  for (const message of messages) {
    const last = merged.at(-1);
    if (
      last !== undefined &&
      open !== undefined &&
      joins(message) &&
      last.role === message.role &&
      last.name === message.name
    ) {
      for (const part of message.parts) open.push(part);
      continue;
    }
    if (!joins(message)) {
      merged.push(message);
      open = undefined;
      continue;
    }
    open = [...message.parts];
    merged.push({ ...message, parts: open });
  }
  return merged;
}
