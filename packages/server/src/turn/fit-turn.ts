import {
  type FoldCache,
  type FoldOptions,
  type FoldRecord,
  type FoldResult,
  fold,
  isMidfoldError,
  type Preset,
  presets,
  type TokenCounter,
  textOf,
} from "@midfold/core";
import { findMarked, type HandEdits } from "../console/by-hand.ts";
import type { Fitted, FitWish } from "../exchange/ask.ts";
import { isCold } from "../exchange/is-cold.ts";
import { countingError, inputBudget } from "../exchange/window.ts";
import { headerOf } from "../http/http-message.ts";
import type { RequestRecord } from "../requests/request-record.ts";
import { bytesOf, countingRule, type FoldTask } from "../threads/tasks.ts";
import { countTurn } from "./count-turn.ts";
import type { Gateway } from "./gateway.ts";
import type { Turn } from "./turn.ts";

/** Facts about the fit, for the request's record. */
export type FoldFacts = Pick<
  RequestRecord,
  | "outcome"
  | "foldId"
  | "foldBy"
  | "plan"
  | "frames"
  | "counter"
  | "tokensBefore"
  | "tokensAfter"
  | "budget"
  | "exact"
  | "counted"
  | "messagesBefore"
  | "messagesAfter"
  | "cacheIsCold"
  | "warnings"
  | "content"
  | "title"
>;

/** A request's message list, made to fit. */
export interface FittedTurn extends Fitted {
  /** Undefined when the list is sent unchanged. */
  readonly messages: readonly unknown[] | undefined;
  /** What the fold made of the size of what is sent; undefined where its bytes were enough to know that it fits. */
  readonly weighed: number | undefined;
  readonly facts: FoldFacts;
}

/** Whether this request may be folded at all. */
export function mayFold(gateway: Gateway, turn: Turn): boolean {
  if (!gateway.settings.folding || !turn.destination.folding) return false;
  // It goes on from an answer that the upstream keeps: what is here is its end, and the calls it answers are not.
  if (turn.protocol.body.stored?.previousOf(turn.body.value) !== undefined) return false;
  return headerOf(turn.request.headers, "x-disable-compression")?.toLowerCase() !== "true";
}

/** Folds the conversation if it does not fit the window. Rejects with CONTEXT_OVERFLOW when that is impossible. */
export async function fitTurn(
  gateway: Gateway,
  turn: Turn,
  { window, budget: smaller, asItIs, provisional }: FitWish,
  force: boolean,
): Promise<FittedTurn> {
  const { body, protocol, destination, identity, key } = turn;
  const preset = presetOf(turn);
  const counter = gateway.counterFor(destination.countAs, identity);
  const budget = smaller ?? inputBudget(window, preset, countingError(gateway.exchange.calibrations, key, counter));
  const size = { bytes: body.bytes.byteLength, bounded: turn.bounded };
  const hand = gateway.byHand.of(identity.tenant, turn.conversation);
  if (asItIs === true || (!force && hand === undefined && isProvablySmall(size, preset, window.tokens, budget))) {
    return unfolded(gateway, turn, asItIs === true ? "impossible" : "fits", budget);
  }
  const received = protocol.body.messagesOf(body.value);
  const { messages, isPinned } = applyByHand(received, hand);
  const held: HeldFold = { provisional: undefined };
  const cache = holdingBack(gateway.foldsOf(identity.tenant), provisional === true ? held : undefined);
  const cacheIsCold = coldness(gateway, turn);
  const wish = {
    model: destination.countAs,
    window: window.tokens,
    // With no budget left, the fold should report an overflow and not a wrong setting.
    budget: Math.max(1, budget),
    preset,
    // Said also where it is not known: another replica may have folded the conversation before it had to be.
    cacheIsCold: cacheIsCold ?? false,
    ...(force ? { force: true } : {}),
  };
  const inThread = (state: FoldRecord | undefined) =>
    foldInThread(gateway, turn, { wish, counter, cache, messages }, state);
  const where = await gateway.prepareCounting(turn, counter);
  const here = (options: FoldOptions) =>
    fold(messages, {
      ...wish,
      format: protocol.format.name,
      system: protocol.body.systemOf(body.value),
      tools: protocol.body.toolsOf(body.value),
      toolChoice: protocol.body.toolChoiceOf(body.value),
      counter,
      cache,
      signal: turn.request.signal,
      ...options,
    });
  // A thread would read the original request, without what a person decided about it.
  const result =
    hand !== undefined
      ? await foldByHand(here, hand, isPinned, () => countTurn(gateway, turn))
      : where === "in-thread"
        ? await inThread(undefined)
        : await here(body.bytes.byteLength > foldedHereBytes ? { elsewhere: inThread } : {});
  const changed = result.changed || messages.length < received.length;
  // What fits with room to spare is estimated from its size, not counted.
  const counted = result.outcome !== "fits" || result.tokens.exact;
  return {
    messages: changed ? result.messages : undefined,
    tokens: result.tokens.after,
    weighed: result.tokens.after,
    counted,
    changed,
    ...(held.provisional === undefined ? {} : { provisional: held.provisional }),
    facts: {
      outcome: result.outcome,
      foldId: result.state?.origin ?? result.state?.id,
      foldBy: result.state?.by ?? "none",
      plan: result.plan,
      frames: result.state?.texts ?? [],
      counter: counter.name,
      tokensBefore: result.tokens.before,
      tokensAfter: result.tokens.after,
      budget: result.tokens.budget,
      exact: result.tokens.exact,
      counted,
      messagesBefore: received.length,
      messagesAfter: result.messages.length,
      cacheIsCold,
      warnings: [...result.warnings],
      ...capturedOf(gateway, turn, received, result.messages),
    },
  };
}

/** Whether the provider has dropped the conversation from its cache, as far as this process knows when it was last answered. */
function coldness({ exchange }: Gateway, turn: Turn): boolean | undefined {
  const { key, conversation, destination, body, sameProtocol, at } = turn;
  const answeredAt = conversation === undefined ? undefined : exchange.lastAnswers.of(key, conversation);
  return answeredAt === undefined
    ? undefined
    : isCold(destination, answeredAt, at, sameProtocol ? body.value : undefined);
}

interface HeldFold {
  provisional: Fitted["provisional"];
}

/**
 * A fold that leaves out some of the exchange the model is to go on from is not saved, but held: if another one is sent
 * instead, later requests must not start from it.
 */
function holdingBack(cache: FoldCache, held: HeldFold | undefined): FoldCache {
  if (held === undefined) return cache;
  return {
    find: (chain) => cache.find(chain),
    save: (record, plan) => {
      const done = plan.decisions.at(-1)?.do ?? "keep";
      held.provisional = undefined;
      if (done === "keep") return cache.save(record, plan);
      held.provisional = { newest: done === "clip" ? "part" : "none", keep: () => cache.save(record, plan) };
    },
  };
}

interface HandApplied {
  readonly messages: readonly unknown[];
  /** By place in `messages`. */
  readonly isPinned: (index: number) => boolean;
}

/** The conversation without messages a person removed, and which of the rest must stay word for word. */
function applyByHand(received: readonly unknown[], hand: HandEdits | undefined): HandApplied {
  if (hand === undefined) return { messages: received, isPinned: () => false };
  const out = findMarked(received, hand.leftOut);
  const pinned = findMarked(received, hand.pinned);
  // The last message is the question: if a removed message is last now, the client took back what followed it.
  const kept = received.map((_, index) => index).filter((index) => !out.has(index) || index === received.length - 1);
  return { messages: kept.map((index) => received[index]), isPinned: (index) => pinned.has(kept[index] as number) };
}

/** A conversation that a person wants folded counts as folded below this share of its size. */
const handShare = 0.9;

/** Folds with what a person pinned; and, if they asked for it, even where everything fits. */
async function foldByHand(
  here: (options: FoldOptions) => Promise<FoldResult<unknown>>,
  { fold: wanted }: HandEdits,
  isPinned: (index: number) => boolean,
  count: () => Promise<number>,
): Promise<FoldResult<unknown>> {
  const pin = (_: unknown, index: number) => isPinned(index);
  const result = await here({ pin });
  if (!wanted || result.outcome === "folded" || result.outcome === "reused") return result;
  try {
    // Slightly too large on purpose: it is folded once, and later requests reuse that fold.
    return await here({ pin, budget: Math.max(1, Math.floor((await count()) * handShare)) });
  } catch (error) {
    if (isMidfoldError(error, "CONTEXT_OVERFLOW")) return result;
    throw error;
  }
}

/** What is kept of the words, while capture is on. */
function capturedOf(
  { settings }: Gateway,
  { protocol, body }: Turn,
  before: readonly unknown[],
  after: readonly unknown[],
): Pick<FoldFacts, "content" | "title"> {
  if (!settings.capture) return { content: undefined, title: undefined };
  const system = protocol.body.systemOf(body.value);
  const tools = protocol.body.toolsOf(body.value);
  const asked = protocol.format.decode(before.slice(0, 8)).find(({ role }) => role === "user");
  const words =
    asked === undefined
      ? ""
      : textOf(asked)
          .replace(/<[^>]*>/g, " ")
          .replace(/\s+/g, " ")
          .trim();
  return {
    content: { before, after, system, tools },
    title: words === "" ? undefined : words.length > titleChars ? `${words.slice(0, titleChars)}…` : words,
  };
}

const titleChars = 80;

/** Longer conversations are folded in a thread; whether they need it is decided here, from what is known. */
const foldedHereBytes = 192 * 1024;

async function foldInThread(
  gateway: Gateway,
  turn: Turn,
  { wish, counter, cache, messages }: ThreadFold,
  state: FoldRecord | undefined,
): Promise<FoldResult<unknown>> {
  const { protocol, destination, request } = turn;
  const task: FoldTask = {
    bytes: bytesOf(turn),
    protocol: protocol.name,
    counting: countingRule(counter, destination.countAs),
    options: { ...wish, ...(state === undefined ? {} : { state }) },
  };
  const placed = await gateway.threads.run("fold", task, {
    signal: request.signal,
    calls: { find: (chain: readonly string[]) => cache.find(chain) },
  });
  if (placed.state !== undefined && placed.outcome !== "reused") await cache.save(placed.state, placed.plan);
  return {
    ...placed,
    messages: placed.messages.map((entry) => (typeof entry === "number" ? messages[entry] : entry.made)),
  };
}

interface ThreadFold {
  readonly wish: FoldTask["options"];
  readonly counter: TokenCounter;
  readonly cache: FoldCache;
  readonly messages: readonly unknown[];
}

/** The request unchanged, neither counted nor folded. */
export function unfolded(gateway: Gateway, turn: Turn, outcome: FoldFacts["outcome"], budget: number): FittedTurn {
  const { settings } = gateway;
  const { body, protocol } = turn;
  const tokens = Math.ceil(body.bytes.byteLength / 4);
  const count = body.scanned.elements?.length ?? 1;
  const messages = settings.capture && outcome !== "off" ? protocol.body.messagesOf(body.value) : undefined;
  const captured =
    messages === undefined ? { content: undefined, title: undefined } : capturedOf(gateway, turn, messages, messages);
  return {
    messages: undefined,
    tokens: outcome === "fits" ? body.bytes.byteLength : tokens,
    weighed: undefined,
    counted: false,
    changed: false,
    facts: {
      outcome,
      foldId: undefined,
      foldBy: "none",
      plan: undefined,
      frames: [],
      counter: "",
      tokensBefore: outcome === "off" ? 0 : tokens,
      tokensAfter: outcome === "off" ? 0 : tokens,
      budget,
      exact: false,
      counted: false,
      messagesBefore: outcome === "off" ? 0 : count,
      messagesAfter: outcome === "off" ? 0 : count,
      cacheIsCold: undefined,
      warnings: [],
      ...captured,
    },
  };
}

/**
 * A client that asks for a summary of its conversation must get one, so such a request may lose whole tool exchanges,
 * whatever the route allows otherwise.
 */
function presetOf({ destination, compacting }: Turn): Preset {
  const { preset } = destination;
  if (!compacting || preset.scope === "all") return preset;
  return { ...preset, name: `${preset.name}+compaction`, scope: "all", rungs: presets.agent.rungs };
}

/**
 * Whether a request fits without being counted: a token is at least one byte, so as many bytes as the budget has tokens
 * always fit. This holds for text; requests with pictures or files are counted.
 */
export function isProvablySmall(
  { bytes, bounded }: { readonly bytes: number; readonly bounded: boolean },
  preset: Preset,
  window: number,
  budget: number,
): boolean {
  // Rules about single results or numbers of messages must see the request, however small it is.
  if (preset.trigger !== undefined || !bounded) return false;
  const resultLimit = preset.clipNewResults === undefined ? budget : preset.clipNewResults * window;
  return bytes <= Math.min(budget, resultLimit);
}
