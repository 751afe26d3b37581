import type { Message } from "../message/message.ts";
import type { ModelPrices } from "../models/model-info.ts";
import type { PlanTokens } from "../plan/plan.ts";

/** What a cached and a newly cached token cost, where an ordinary input token costs 1. */
export interface CachePrices {
  readonly read: number;
  readonly write: number;
}

/** What most providers with a prompt cache ask; also about right for your own servers that cache prefixes. */
const usualPrices: CachePrices = { read: 0.1, write: 1.25 };
/**
 * What keeping one more token of the conversation is worth on every later call, in input tokens. Chosen so that agents
 * in a 60k window keep about a quarter; measured with `npm run bench:fidelity`.
 */
const valueOfKeeping = 0.06;
/** A small room is never emptied as far as a large one: the first tokens that are kept are worth most. */
const least = 0.2;
const leastInSmallRooms = 0.4;
const largeRoom = 50_000;
const most = 0.7;

export function cachePrices({ input, cacheRead, cacheWrite }: ModelPrices): CachePrices {
  if (input === undefined || input === 0 || cacheRead === undefined) return usualPrices;
  return { read: cacheRead / input, write: cacheWrite === undefined || cacheWrite === 0 ? 1 : cacheWrite / input };
}

/**
 * After how many further calls a fold has paid for itself, where the cache was warm: it writes its messages anew now, and each
 * later call reads that much less. Undefined where reading costs nothing. `fixed` stays cached as it was.
 */
export function breakEvenCalls(
  { before, after, fixed }: Pick<PlanTokens, "before" | "after" | "fixed">,
  { read, write }: CachePrices,
): number | undefined {
  const saved = (before - after) * read;
  const cost = (after - fixed) * write - (before - fixed) * read;
  return saved > 0 ? Math.max(0, Math.ceil(cost / saved)) : undefined;
}

/** Tokens that one call of the model adds, on the average of the conversation so far. */
export function growthPerCall(messages: readonly Message[], tokens: number): number {
  let calls = 0;
  // Some formats have the text and every tool call of one answer as messages of their own.
  for (const [at, { role }] of messages.entries()) {
    if (role === "assistant" && messages[at - 1]?.role !== "assistant") calls++;
  }
  return tokens / Math.max(1, calls);
}

/**
 * The share of the free room that a fold in a session with a prompt cache fills. Every fold writes the prefix anew, so a
 * fuller prefix means folds that are more often and cost more each; an emptier one keeps less. With `growth` tokens per
 * call, filling the share f of a room R costs write · growth · f / (1 − f) per call for new prefixes; what is kept is worth
 * `valueOfKeeping` · f · R. The best f is where both change alike. `held` is what stays beside the room.
 */
export function lowWaterShare(room: number, growth: number, prices: CachePrices, held = 0): number {
  const free = Math.sqrt((prices.write * growth) / (valueOfKeeping * Math.max(1, room)));
  const floor = least + (leastInSmallRooms - least) * Math.max(0, 1 - room / largeRoom);
  const share = Math.min(most, Math.max(floor, 1 - free));
  const lowered = inWholeCalls(share, room, growth);
  return lowered * room + held >= smallestCached ? lowered : share;
}

/** Calls differ a little in size. */
const unevenness = 1.05;
/** Providers cache nothing shorter than 1 024 or 2 048 tokens: below that, lowering would save no call anything. */
const smallestCached = 2_500;
/** One call more or less makes no difference between folds that are further apart. */
const fewCalls = 12;
/** How far the share may be lowered for one call more. */
const leastInWholeCalls = 0.15;

/** Room for half a call more is room for none: the share is lowered until the next fold is one whole call further away. */
function inWholeCalls(share: number, room: number, growth: number): number {
  const perCall = (growth * unevenness) / Math.max(1, room);
  const calls = Math.ceil((1 - share) / perCall);
  const lowered = 1 - calls * perCall;
  return calls <= fewCalls && lowered >= leastInWholeCalls ? lowered : share;
}
