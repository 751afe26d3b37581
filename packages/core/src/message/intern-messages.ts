import type { Message } from "./message.ts";
import { sameParts } from "./same-parts.ts";

/** The last decoding of every wire object that is still alive. */
const known = new WeakMap<object, Message>();

/**
 * Gives a wire object that comes again the very message it had last time, as long as it still says the same. Counts and
 * hashes are remembered per message object, so a conversation that is folded on every turn is weighed once.
 */
export function internMessages(messages: Message[]): Message[] {
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    const source = message.source as object;
    const before = known.get(source);
    if (before !== undefined && isSame(before, message)) messages[index] = before;
    else known.set(source, message);
  }
  return messages;
}

function isSame(a: Message, b: Message): boolean {
  return (
    a.role === b.role && a.pinned === b.pinned && a.name === b.name && a.id === b.id && sameParts(a.parts, b.parts)
  );
}
