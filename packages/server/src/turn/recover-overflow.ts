import { isMidfoldError, MidfoldError, presets } from "@midfold/core";
import { countTurn } from "./count-turn.ts";
import { type Folded, foldTurn } from "./fold-turn.ts";
import type { Gateway } from "./gateway.ts";
import type { Window } from "./resolve-window.ts";
import type { Turn } from "./turn.ts";

/** Sizes as an upstream or the engine named them. */
interface Sizes {
  readonly limit?: number;
  readonly input?: number;
  readonly output?: number;
  readonly requested?: number;
}

/** How much smaller than the stated limit the second try is: counts that were off once may be off again. */
const caution = 0.97;

/**
 * Folds again after the upstream refused the request as too long: remembers its limit, trusts its count over ours, and
 * aims below. Undefined when there is nothing left to try.
 */
export async function foldHarder(
  gateway: Gateway,
  turn: Turn,
  window: Window,
  error: MidfoldError,
): Promise<Retry | undefined> {
  const { record, destination, identity } = turn;
  const sizes = error.details as Sizes;
  const limit = plausibleLimit(sizes.limit);
  // A request that seemed too small to be counted was not.
  const sent = !record.counted ? await countTurn(gateway, turn) : record.tokensAfter;
  // A refusal without figures still says that what was sent is more than the window holds.
  const revealed = limit ?? Math.min(window.tokens, plausibleLimit(sent) ?? window.tokens);
  if (revealed < window.tokens) {
    const named = limit === undefined ? "without naming a limit" : `and named ${limit} tokens`;
    gateway.knowledge.learnLimit({
      tenant: identity.tenant,
      upstream: destination.upstream,
      model: destination.model,
      contextWindow: revealed,
      maxOutputTokens: undefined,
      evidence: `The upstream refused a request of ${sent} tokens as too long ${named}.`,
    });
  }
  const tokens = Math.min(revealed, window.tokens);
  const narrowed: Window = {
    ...window,
    tokens,
    source: tokens < window.tokens ? "learned" : window.source,
    reserve: Math.min(window.reserve, Math.floor(tokens / 2)),
  };
  // Our count of what it counted: the ratio carries over to what we are about to send.
  const theirs =
    sizes.input ?? (sizes.requested === undefined ? undefined : sizes.requested - (sizes.output ?? window.reserve));
  const ratio = theirs !== undefined && theirs > 0 && sent > 0 ? Math.max(1, theirs / sent) : 1;
  const room = tokens - narrowed.reserve - destination.preset.safetyTokens;
  // Without figures, three quarters of what was refused is the next guess.
  const aim = limit === undefined && theirs === undefined ? Math.min(room, sent * 0.75) : room / ratio;
  const budget = Math.floor(aim * caution);
  if (budget <= 0) return undefined;
  try {
    const folded = await foldTurn(gateway, turn, narrowed, { budget });
    if (folded.messages === undefined && folded.tokens >= sent && limit === undefined) return undefined;
    record.overflowRetried = true;
    return { folded, window: narrowed };
  } catch (thrown) {
    if (isMidfoldError(thrown, "CONTEXT_OVERFLOW")) return undefined;
    throw thrown;
  }
}

export interface Retry {
  readonly folded: Folded;
  readonly window: Window;
}

function plausibleLimit(limit: number | undefined): number | undefined {
  return limit !== undefined && Number.isFinite(limit) && limit >= 256 ? Math.floor(limit) : undefined;
}

/**
 * The overflow error the client's own recovery starts from, followed by what is in the way and which setting would let
 * the gateway go further.
 */
export function overflowFor(turn: Turn, window: Window, error: MidfoldError): MidfoldError {
  const { record, protocol } = turn;
  const sizes = error.details as Sizes;
  const limit = plausibleLimit(sizes.limit) ?? window.tokens;
  const counted = sizes.input ?? (record.tokensBefore > 0 ? record.tokensBefore : undefined);
  const input = Math.max(counted ?? limit + 1, limit + 1);
  const canonical = protocol.overflowError({ limit, input });
  const explanation =
    error.code === "CONTEXT_OVERFLOW"
      ? `Midfold could not fold it further: ${error.message}${advice(turn)}`
      : "Midfold folded as far as it may and the upstream still refused.";
  return new MidfoldError(canonical.code, canonical.message, {
    details: { ...error.details, ...canonical.details, limit, input, explanation },
    cause: error,
  });
}

function advice(turn: Turn): string {
  const { preset, folding } = turn.destination;
  if (!folding) return "";
  if (preset.scope === presets.agent.scope) return "";
  return " Set `tools: fold` or `preset: agent` for this route to let whole old tool exchanges be folded.";
}
