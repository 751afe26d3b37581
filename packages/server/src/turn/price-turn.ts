import type { ModelPrices } from "@midfold/core";
import type { RequestRecord } from "../requests/request-record.ts";

/** Dollars per million tokens are millionths of a dollar per token. */
export function priceTurn(record: RequestRecord, prices: ModelPrices): void {
  const { usage } = record;
  const { input, output } = prices;
  if (usage === undefined || input === undefined || output === undefined) return;
  const cached = Math.min(usage.cached, usage.input);
  const written = Math.min(usage.cacheWrite, usage.input - cached);
  const fresh = usage.input - cached - written;
  record.costMicros =
    fresh * input +
    cached * (prices.cacheRead ?? input) +
    written * (prices.cacheWrite ?? input) +
    usage.output * output;
  const saved = record.tokensBefore - record.tokensAfter;
  const cachedPrice = prices.cacheRead ?? input;
  record.savedMicros = saved > 0 ? saved * input : 0;
  record.savedCachedMicros = saved > 0 ? saved * cachedPrice : 0;
  // A new fold changes the prefix: what was not read from the cache now would have been without it.
  record.rewriteMicros =
    record.outcome === "folded"
      ? Math.max(0, fresh * (input - cachedPrice) + written * ((prices.cacheWrite ?? input) - cachedPrice))
      : 0;
}
