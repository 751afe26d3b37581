import { isJsonObject } from "../../neutral/json-object.ts";

const usualMs = 300_000;
/** By the `ttl` of a cache mark. */
const lifetimes: ReadonlyMap<unknown, number> = new Map([["1h", 3_600_000]]);

/**
 * How long the conversation stays cached: as its last mark says. Marks before it, such as a system prompt's, may ask for
 * longer, which keeps no message.
 */
export function cacheKeptMs(body: unknown): number {
  if (!isJsonObject(body)) return usualMs;
  const messages = Array.isArray(body.messages) ? body.messages : [];
  // Without marks of its own, a mark on the body stands for one at the end.
  for (const holder of [body, ...messages.toReversed().flatMap(blocksOf), ...blocksOf({ content: body.system })]) {
    const mark = isJsonObject(holder) ? holder.cache_control : undefined;
    if (isJsonObject(mark)) return lifetimes.get(mark.ttl) ?? usualMs;
  }
  return usualMs;
}

/** The blocks of a message, last one first. */
function blocksOf(message: unknown): readonly unknown[] {
  return isJsonObject(message) && Array.isArray(message.content) ? message.content.toReversed() : [];
}
