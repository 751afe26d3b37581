import type { ModelPrices } from "@midfold/core";
import type { RequestRecord } from "../requests/request-record.ts";

type Priced = Pick<RequestRecord, "costMicros" | "savedMicros" | "savedCachedMicros" | "rewriteMicros">;

/** What a request cost and saved, where prices are known. Dollars per million tokens are millionths per token. */
export function priceOf(
  record: Pick<RequestRecord, "usage" | "tokensBefore" | "tokensAfter" | "outcome">,
  prices: ModelPrices,
): Partial<Priced> {
  const { usage } = record;
  const { input, output } = prices;
  if (usage === undefined || input === undefined || output === undefined) return {};
  const cached = Math.min(usage.cached, usage.input);
  const written = Math.min(usage.cacheWrite, usage.input - cached);
  const fresh = usage.input - cached - written;
  const cachedPrice = prices.cacheRead ?? input;
  const writePrice = prices.cacheWrite ?? input;
  const saved = Math.max(0, record.tokensBefore - record.tokensAfter);
  return {
    costMicros: fresh * input + cached * cachedPrice + written * writePrice + usage.output * output,
    savedMicros: saved * input,
    savedCachedMicros: saved * cachedPrice,
    // A new fold changes the prefix: what was not read from the cache now would have been without it.
    rewriteMicros:
      record.outcome === "folded"
        ? Math.max(0, fresh * (input - cachedPrice) + written * (writePrice - cachedPrice))
        : 0,
  };
}
