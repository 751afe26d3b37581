import { setImmediate as nextTurn } from "node:timers/promises";
import type { Message, TokenCounter } from "@midfold/core";
import { prepareCounts, type TextCounts } from "@midfold/core/tokens";

/** Longest stretch of counting before others get their turn. */
const sliceMs = 12;
/** Texts from this length on are handed to whoever counts long texts. */
const longText = 65_536;

/**
 * R1 NFR-7.5: counts messages beforehand without holding the event loop; counters remember what they counted, so whoever
 * asks next is answered at once. A counter that fails is left to whoever asks.
 */
export async function countAhead(
  counts: TextCounts,
  counter: TokenCounter,
  messages: readonly Message[],
  signal?: AbortSignal,
): Promise<void> {
  await prepareCounts(counter, messages, { counts, minLength: longText, ...(signal === undefined ? {} : { signal }) });
  let since = performance.now();
  for (const message of messages) {
    try {
      counter.countMessage(message);
    } catch {
      return;
    }
    if (performance.now() - since < sliceMs) continue;
    await nextTurn();
    signal?.throwIfAborted();
    since = performance.now();
  }
}
