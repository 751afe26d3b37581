import { setImmediate as nextTurn } from "node:timers/promises";
import type { Message, TokenCounter } from "@midfold/core";
import { prepareCounts, type TextCounts } from "@midfold/core/tokens";

/** Longest time spent counting before other requests get a turn. */
const sliceMs = 12;
/** Texts from this length on are counted by `counts`. */
const longText = 65_536;

/**
 * Counts messages in advance without blocking the event loop. Counters remember what they counted, so the next caller
 * gets an answer at once. A counter that fails is left to that caller.
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
