import { isFrame } from "../digest/frame.ts";
import type { Message, Role } from "../message/message.ts";
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
 * After how many further calls a fold has paid for itself: it writes its messages anew now, and each later call reads that
 * much less. At once where the cache is cold, since more would have been written without it. Undefined where the cache is warm
 * and reading costs nothing. `fixed` stays cached as it was.
 */
export function breakEvenCalls(
  { before, after, fixed }: Pick<PlanTokens, "before" | "after" | "fixed">,
  { read, write }: CachePrices,
  cacheIsCold = false,
): number | undefined {
  if (cacheIsCold) return 0;
  const saved = (before - after) * read;
  const cost = (after - fixed) * write - (before - fixed) * read;
  return saved > 0 ? Math.max(0, Math.ceil(cost / saved)) : undefined;
}

/** What must be known of a conversation that fits. */
export interface ColdFoldOptions extends Pick<NotYetDue, "size" | "line" | "mark"> {
  /** What was said so far, and its tokens: how fast the conversation grows, and in how many calls for one turn of the user. */
  readonly messages: readonly Message[];
  readonly weight: number;
  readonly prices: ModelPrices;
}

/**
 * Whether a conversation that fits is folded all the same, in a call whose prompt cache is cold: where its fold is due within
 * one turn of the user anyway, and it is nearer to that than to what the fold goes down to.
 *
 * @example
 * const sizes = { size: 90_000, line: 92_000, mark: 40_000 };
 * needsFoldWhileCold({ ...sizes, messages, weight: 88_000, prices: { input: 3, cacheRead: 0.3, cacheWrite: 3.75 } });
 */
export function needsFoldWhileCold({ size, line, mark, messages, weight, prices }: ColdFoldOptions): boolean {
  const growth = growthPerCall(messages, weight);
  return paysWhileCold({ size, line, mark, growth, callsPerTurn: callsPerTurn(messages) }, cachePrices(prices));
}

/** Tokens that one call of the model adds, on the average of the conversation so far. */
export function growthPerCall(messages: readonly Message[], tokens: number): number {
  return tokens / Math.max(1, countRuns(messages, "assistant"));
}

/** How many calls of the model one turn of the user took, on the average of the conversation so far. */
export function callsPerTurn(messages: readonly Message[]): number {
  const said = messages.filter((message) => !isFrame(message));
  return Math.max(1, countRuns(said, "assistant") / Math.max(1, countRuns(said, "user")));
}

/** Some formats have the text and every tool call of one answer as messages of their own: neighbours count once. */
function countRuns(messages: readonly Message[], who: Role): number {
  let runs = 0;
  for (const [at, { role }] of messages.entries()) if (role === who && messages[at - 1]?.role !== who) runs++;
  return runs;
}

/** A conversation that is not too long yet. Sizes are tokens of the whole request. */
export interface NotYetDue {
  readonly size: number;
  /** Over this it is folded in any case. */
  readonly line: number;
  /** What a fold goes down to. */
  readonly mark: number;
  /** What a call adds. */
  readonly growth: number;
  readonly callsPerTurn: number;
}

/**
 * Whether a fold that is not due yet is done in this call, whose prefix has to be written anew in any case. By the prices
 * alone it always would be: it writes `size - mark` less now, and the write of the fold that was due later is saved. Against
 * it stands what is left out earlier than need be. A conversation far from its line is written anew after every pause, so a
 * token that is kept is taken to be worth that write for the calls until the next pause, which are at least those of one
 * turn of the user: a fold may come so many calls early, and no more than what is kept pays for at `valueOfKeeping`.
 */
export function paysWhileCold({ size, line, mark, growth, callsPerTurn: calls }: NotYetDue, { write }: CachePrices) {
  const ahead = Math.min(calls, write / valueOfKeeping);
  const dueSoon = size <= line && size + ahead * growth > line;
  // Nearer to the last fold than to the next one it would free little, and in small rooms every pause would fold anew.
  return dueSoon && size - mark >= line - size;
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
