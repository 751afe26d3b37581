import type { Warning } from "@midfold/core";
import type { LimitKey } from "../learn/limits.ts";
import type { BilledUsage } from "../requests/request-record.ts";
import type { ExchangeTools } from "./ask.ts";

/** A request that was answered, and what the provider billed for it. */
export interface Billed {
  readonly key: LimitKey;
  /** The model whose counting rules were used. */
  readonly countAs: string;
  readonly conversation: string | undefined;
  /** Bytes that were sent. */
  readonly bytes: number;
  /** Our own count of the input; undefined when it was not counted. */
  readonly counted: number | undefined;
  readonly usage: Pick<BilledUsage, "input" | "cached" | "output">;
  /** With a configured window nothing is concluded about it. */
  readonly windowIsStated: boolean;
}

/** What later steps need of a bill. */
export interface ReadBill {
  /** Input tokens the upstream read. */
  readonly read: number;
  /** Whether our count may be corrected by it. */
  readonly trusted: boolean;
  readonly warning: Warning | undefined;
}

/** A bill below this share of what we counted says nothing about how we count. */
const plausibleShare = 0.5;
const roundTo = 256;
const smallestWindow = 2_048;

/**
 * Learns from an answer: how long it was, how far our count was off, how much the upstream can read, and whether it
 * silently cut the conversation.
 */
export function learnFromBill(tools: ExchangeTools, billed: Billed): ReadBill {
  const { key, usage } = billed;
  tools.replies.add(key, usage.output);
  // A cached part larger than the whole was billed separately, but it was read as well.
  const read = usage.cached > usage.input ? usage.input + usage.cached : usage.input;
  const { suspect, plateau } =
    billed.conversation === undefined
      ? { suspect: false, plateau: undefined }
      : tools.bills.add(`${key.tenant}\n${key.upstream}\n${key.model}\n${billed.conversation}`, {
          bytes: billed.bytes,
          read,
          counted: billed.counted,
        });
  const warning = plateau === undefined ? undefined : learnPlateau(tools, billed, plateau);
  if (!suspect && plateau === undefined) tools.limits.prove(key, read);
  const trusted = !suspect && plateau === undefined;
  if (trusted && billed.counted !== undefined) correctCounts(tools, billed, billed.counted, read);
  return { read, trusted, warning };
}

/** Corrects our counting by the provider's count, where both are about the same content. */
export function correctCounts(
  { calibrations }: ExchangeTools,
  { key, countAs }: Pick<Billed, "key" | "countAs">,
  counted: number,
  read: number,
): void {
  if (read < counted * plausibleShare) return;
  calibrations.observe(key.tenant, countAs, counted, read);
  calibrations.compare(key, counted, read);
}

function learnPlateau({ limits, log }: ExchangeTools, { key, windowIsStated }: Billed, plateau: number): Warning {
  const window = Math.max(smallestWindow, Math.ceil(plateau / roundTo) * roundTo);
  const seen = `The upstream counted ${plateau} tokens again and again while the requests grew: it cuts the conversation without a word.`;
  const message = windowIsStated
    ? `${seen} The configured window is larger than what it reads; set it to ${window}.`
    : `${seen} From now on it is folded to ${window}.`;
  const { upstream, model } = key;
  log.warn({ upstream, model, window, configured: windowIsStated }, "the upstream cut a request without saying so");
  if (!windowIsStated && limits.limitOf(key)?.contextWindow !== window) limits.learnConcluded(key, window, message);
  return { code: "context-critically-limited", message };
}
