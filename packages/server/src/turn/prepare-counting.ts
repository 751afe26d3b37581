import { setImmediate as nextTurn } from "node:timers/promises";
import type { TokenCounter } from "@midfold/core";
import { prepareCounts, type TextCounts } from "@midfold/core/tokens";
import type { Turn } from "./turn.ts";

/** Less new text than this is counted faster than it is sent to a thread. */
const minNewBytes = 64 * 1024;
/** More new text than this is neither read nor counted on the event loop. */
const maxNewBytes = 4 * 1024 * 1024;
/** The same for what stands beside the messages, which is counted in one piece. */
const maxBesideBytes = 512 * 1024;
/** How long counting may hold the event loop at a stretch. */
const sliceMs = 8;

/** Counts the new text of a request before the fold needs it, without blocking other requests. */
export type PrepareCounting = (turn: Turn, counter: TokenCounter) => Promise<Prepared>;

/** `in-thread`: there is so much new text that even reading it here would block other requests. */
export type Prepared = "here" | "in-thread";

/**
 * Long texts go to worker threads; many shorter ones are counted in slices. Known messages are skipped, so a history
 * that is sent again costs nothing here.
 */
export function createCountPreparer(counts: TextCounts): PrepareCounting {
  const seen = new WeakSet<object>();
  return async ({ body, protocol, request }, counter) => {
    const ranges = body.scanned.elements;
    if (body.bytes.byteLength < minNewBytes) return "here";
    const last = ranges?.at(-1)?.end ?? 0;
    // A text instead of a list, instructions and tools are counted too, and may be as long as any message.
    const beside = body.bytes.byteLength - (last - (ranges?.[0]?.start ?? 0));
    if (beside > maxBesideBytes) return "in-thread";
    if (ranges === undefined) return "here";
    const fresh: object[] = [];
    let bytes = 0;
    for (const [index, message] of protocol.body.messagesOf(body.value).entries()) {
      if (typeof message !== "object" || message === null || seen.has(message)) continue;
      const range = ranges[index];
      bytes += range === undefined ? 0 : range.end - range.start;
      fresh.push(message);
    }
    if (bytes < minNewBytes) return "here";
    if (bytes > maxNewBytes) return "in-thread";
    const messages = protocol.format.decode(fresh);
    await prepareCounts(counter, messages, { counts, signal: request.signal });
    let until = performance.now() + sliceMs;
    for (const message of messages) {
      counter.countMessage(message);
      if (performance.now() < until) continue;
      await nextTurn();
      until = performance.now() + sliceMs;
    }
    for (const message of fresh) seen.add(message);
    return "here";
  };
}
