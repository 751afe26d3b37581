import type { Message, Part } from "@midfold/core";

/** Spreads messages over items: every call, result and thought is an item of its own, the rest stays a message. */
export function splitItems(messages: readonly Message[]): Message[] {
  const items: Message[] = [];
  for (const message of messages) {
    let said: Part[] = [];
    const flush = () => {
      if (said.length > 0) items.push({ ...message, parts: said });
      said = [];
    };
    for (const part of message.parts) {
      if (part.type !== "tool-call" && part.type !== "tool-result" && part.type !== "reasoning") {
        said.push(part);
        continue;
      }
      flush();
      items.push({ role: message.role, parts: [part] });
    }
    flush();
  }
  return items;
}
