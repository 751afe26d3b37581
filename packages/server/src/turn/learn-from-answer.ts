import type { RequestRecord } from "../requests/request-record.ts";
import { countTurn } from "./count-turn.ts";
import type { Gateway } from "./gateway.ts";
import { priceTurn } from "./price-turn.ts";
import type { Turn } from "./turn.ts";

/** Below this share of what we counted, the upstream cannot have read everything it was sent. */
const truncatedShare = 0.6;
/** The same before an estimating counter has met its first bills: it may be off by nearly half. */
const doubtfulShare = 0.5;
const trustedSamples = 3;
const minMissing = 1_000;
/** No server cuts to less; a smaller figure is a bill that says nothing. */
const smallestWindow = 2_048;
/** A cut is concluded, not told: after this long the whole conversation is tried again. */
const believedMs = 3_600_000;
const roundTo = 256;
/** More bytes to a token than any ordinary text has. */
const suspiciousBytes = 8;
/** Requests that fitted uncounted are counted after the fact until the estimate has settled, then now and then. */
const settledSamples = 8;
const thenEvery = 16;

/** After an answer: what it cost, how far our count was off, and whether the upstream silently cut the conversation. */
export function learnFromAnswer(gateway: Gateway, turn: Turn): void {
  const { record, destination } = turn;
  const billed = record.usage?.input ?? 0;
  priceTurn(record, destination.info.prices);
  if (record.state !== "running" || billed === 0 || record.outcome === "off") return;
  if (record.counted) {
    compare(gateway, turn, record.tokensAfter, billed);
    return;
  }
  record.tokensBefore = record.tokensAfter = billed;
  if (!isWorthCounting(gateway, turn, billed)) return;
  // Nobody waits for this any more.
  void countTurn(gateway, turn).then(
    (sent) => compare(gateway, turn, sent, billed),
    (err: unknown) => gateway.log.debug({ id: record.id, err }, "a request could not be counted afterwards"),
  );
}

function compare(gateway: Gateway, turn: Turn, sent: number, billed: number): void {
  const { record, destination, identity } = turn;
  // Some servers bill cached tokens apart; they were read all the same.
  const read = billed + (record.usage?.cached ?? 0);
  const { exact } = gateway.counterFor(destination.countAs, identity);
  const samples = gateway.calibrations.ratioOf(identity.tenant, destination.countAs)?.samples ?? 0;
  const share = exact || samples >= trustedSamples ? truncatedShare : doubtfulShare;
  if (read >= sent * share) gateway.calibrations.observe(identity.tenant, destination.countAs, sent, billed);
  else if (read >= smallestWindow / 2 && sent - read > minMissing) learnTruncation(gateway, turn, sent, billed);
}

/** Whether there is something to learn from the size of a request that went out uncounted. */
function isWorthCounting(gateway: Gateway, turn: Turn, billed: number): boolean {
  const { identity, destination, body, record } = turn;
  if (record.messagesAfter !== record.messagesBefore) return false;
  const suspicious = billed * suspiciousBytes < body.bytes.byteLength && turn.bounded;
  if (suspicious) return true;
  if (gateway.counterFor(destination.countAs, identity).exact) return false;
  const samples = gateway.calibrations.ratioOf(identity.tenant, destination.countAs)?.samples ?? 0;
  return samples < settledSamples || isSampled(record);
}

/** One in `thenEvery`, by the request's random id. */
function isSampled(record: RequestRecord): boolean {
  return record.id.charCodeAt(record.id.length - 1) % thenEvery === 0;
}

function learnTruncation(
  gateway: Gateway,
  { record, destination, identity }: Turn,
  sent: number,
  billed: number,
): void {
  const window = Math.max(smallestWindow, Math.ceil(billed / roundTo) * roundTo);
  const { upstream, model } = destination;
  const message = `The upstream counted ${billed} of ${sent} tokens: it cut the conversation without a word. From now on it is folded to ${window}.`;
  record.warnings.push({ code: "context-critically-limited", message });
  gateway.log.warn({ id: record.id, upstream, model, sent, billed, window }, "silent truncation");
  gateway.knowledge.learnLimit({
    tenant: identity.tenant,
    upstream,
    model,
    contextWindow: window,
    maxOutputTokens: undefined,
    evidence: message,
    expiresAt: gateway.now() + believedMs,
  });
}
