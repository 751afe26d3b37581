import type { Gateway } from "./gateway.ts";
import { priceTurn } from "./price-turn.ts";
import type { Turn } from "./turn.ts";

/** Below this share of what we counted, the upstream cannot have read everything it was sent. */
const truncatedShare = 0.6;
/** The same before an estimating counter has met its first bills: it may be off by nearly half. */
const doubtfulShare = 0.5;
const minMissing = 1_000;
/** No server cuts to less; a smaller figure is a bill that says nothing. */
const smallestWindow = 2_048;
/** A cut is concluded, not told: after this long the whole conversation is tried again. */
const believedMs = 3_600_000;
const roundTo = 256;
/** Answers after which an estimating counter is trusted to tell a cut from its own error. */
const settledSamples = 3;

/** After an answer: what it cost, how far our count was off, and whether the upstream silently cut the conversation. */
export function learnFromAnswer(gateway: Gateway, turn: Turn): void {
  const { record, destination, identity } = turn;
  const billed = record.usage?.input ?? 0;
  priceTurn(record, destination.info.prices);
  if (record.state !== "running" || billed === 0) return;
  if (!record.counted) {
    // Too small to be counted: what was billed is the better figure.
    record.tokensBefore = record.tokensAfter = billed;
    return;
  }
  // Some servers bill cached tokens apart; they were read all the same.
  const read = billed + (record.usage?.cached ?? 0);
  const samples = gateway.calibrations.ratioOf(identity.tenant, destination.countAs)?.samples ?? 0;
  const share = record.exact || samples >= settledSamples ? truncatedShare : doubtfulShare;
  if (read >= smallestWindow / 2 && isTruncated(record.tokensAfter, read, share)) {
    const window = Math.max(smallestWindow, Math.ceil(billed / roundTo) * roundTo);
    const message = `The upstream counted ${billed} of ${record.tokensAfter} tokens: it cut the conversation without a word. From now on it is folded to ${window}.`;
    record.warnings.push({ code: "context-critically-limited", message });
    gateway.log.warn(
      {
        id: record.id,
        upstream: destination.upstream,
        model: destination.model,
        sent: record.tokensAfter,
        billed,
        window,
      },
      "silent truncation",
    );
    gateway.knowledge.learnLimit({
      tenant: identity.tenant,
      upstream: destination.upstream,
      model: destination.model,
      contextWindow: window,
      maxOutputTokens: undefined,
      evidence: message,
      expiresAt: gateway.now() + believedMs,
    });
    return;
  }
  if (read < record.tokensAfter * share) return;
  gateway.calibrations.observe(identity.tenant, destination.countAs, record.tokensAfter, billed);
}

function isTruncated(counted: number, billed: number, share: number): boolean {
  return billed < counted * share && counted - billed > minMissing;
}
