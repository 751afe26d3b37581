import { type Message, textOf } from "@midfold/core";

/**
 * Puts system turns that come later in a conversation where the upstream accepts them: as they are, or as a reminder in
 * the words of the user. They are never moved to the front, which would change the cached prefix on every turn.
 */
export function placeSystemTurns(messages: readonly Message[], later: "system" | "developer" | "user"): Message[] {
  const placed: Message[] = [];
  for (const message of messages) {
    if (message.role !== "system") placed.push(message);
    else if (later !== "user") {
      if (textOf(message) !== "") placed.push(message);
    } else {
      const text = textOf(message);
      if (text === "") continue;
      placed.push({ role: "user", parts: [{ type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` }] });
    }
  }
  return placed;
}

/** System turns that stand at the very start belong to the system prompt. */
export function splitLeadingSystem(messages: readonly Message[]): readonly [system: Message[], rest: Message[]] {
  let first = 0;
  while (messages[first]?.role === "system") first++;
  return [messages.slice(0, first), messages.slice(first)];
}
