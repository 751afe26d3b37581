import type { Message, Part } from "@midfold/core";

/** What a conversation that starts with the assistant is answered to: the first turn has to be the user's. */
const opening: Message = { role: "user", parts: [{ type: "text", text: "(The conversation continues.)" }] };

/**
 * Makes user and assistant take turns: neighbours of one side are joined, all results of one exchange stand first in
 * the user turn that follows it, and the user begins. Names, which this protocol has no field for, lead the text.
 */
export function takeTurns(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  let open: { role: string; parts: Part[] } | undefined;
  for (const message of messages) {
    const role = message.role === "tool" ? "user" : message.role;
    const parts = named(message);
    if (open?.role === role && role !== "system") {
      open.parts.push(...parts);
      continue;
    }
    open = { role, parts: [...parts] };
    turns.push({ role, parts: open.parts });
  }
  const first = turns.findIndex((turn) => turn.role !== "system");
  if (turns[first]?.role === "assistant") turns.splice(first, 0, opening);
  return turns;
}

function named(message: Message): readonly Part[] {
  const { name, parts, role } = message;
  const at = parts.findIndex((part) => part.type === "text");
  const text = parts[at];
  if (name === undefined || role === "tool" || text?.type !== "text") return parts;
  return [...parts.slice(0, at), { type: "text", text: `${name}: ${text.text}` }, ...parts.slice(at + 1)];
}
