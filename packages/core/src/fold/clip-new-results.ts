import { clipMessage } from "../clip/clip-message.ts";
import type { Message } from "../message/message.ts";
import type { Preset } from "../presets/preset.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";

/** No result is clipped on arrival below the first, and none stays whole above the second. */
const smallest = 2_000;
const largest = 20_000;

/**
 * Clips tool results that are very large on their own, wherever they stand. It looks at one message at a time, so the
 * same message always leaves in the same form and a prefix that was sent once stays as it was.
 */
export function clipNewResults(
  messages: readonly Message[],
  preset: Preset,
  window: number,
  counter: TokenCounter,
  pin?: (message: Message, index: number) => boolean,
): { readonly messages: readonly Message[]; readonly clipped: ReadonlySet<number> } {
  const clipped = new Set<number>();
  if (preset.maxNewResult === undefined || !preset.rungs.includes("clip-new-results")) return { messages, clipped };
  const limit = Math.min(largest, Math.max(smallest, Math.floor(window * preset.maxNewResult)));
  let changed: Message[] | undefined;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    if (message.role !== "tool" || message.pinned === true) continue;
    const cap = limit * message.parts.length;
    // Cheap way out: hardly any text costs more than two tokens a character.
    if (textLength(message) * 2 <= cap || counter.countMessage(message) <= cap) continue;
    if (pin?.(message, index) === true) continue;
    changed ??= [...messages];
    changed[index] = clipMessage(message, cap, counter);
    clipped.add(index);
  }
  return { messages: changed ?? messages, clipped };
}

function textLength(message: Message): number {
  let length = 0;
  for (const part of message.parts) {
    if (part.type !== "tool-result") continue;
    for (const inner of part.content) length += inner.type === "text" ? inner.text.length : 10_000;
  }
  return length;
}
