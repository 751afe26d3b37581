import type { Preset, TokenCounter } from "@midfold/core";
import { outputReserve, requestBudget } from "@midfold/core/budget";
import { unknownMaxOutput } from "@midfold/core/models";
import type { Calibrations } from "../learn/calibrations.ts";
import type { LimitKey, Limits } from "../learn/limits.ts";
import type { Replies } from "../learn/replies.ts";
import type { Destination } from "../upstreams/destination.ts";

/** The limits a request must keep, and where they come from. */
export interface Window {
  readonly tokens: number;
  readonly source: "route" | "learned" | "upstream" | "registry" | "guess";
  readonly maxOutput: number;
  /** Tokens kept free for the answer. */
  readonly reserve: number;
  /** What the client asked for, if it did. */
  readonly asked: number | undefined;
  /** The longest answer the upstream said it gives, where it refused to be asked for more. */
  readonly answerLimit?: number | undefined;
}

/** How far above the largest request known to fit a guessed window may grow. */
const growth = 2;

/**
 * The upstream model's window. A configured one always holds. Otherwise it is the smallest of what the upstream
 * revealed by refusing or cutting a request and what its model list or the registry says; never less than a request it
 * has read completely. For an unknown model it starts as a guess that grows with every request that succeeds.
 */
export function resolveWindow(
  { limits, replies }: { readonly limits: Limits; readonly replies: Replies },
  key: LimitKey,
  destination: Destination,
  asked?: number,
): Window {
  const { info, windowIsStated } = destination;
  const learned = limits.limitOf(key);
  const { tokens, source } = windowOf(limits, key, destination, learned?.contextWindow);
  // What a model nobody knows can write is a share of its window, also when that turns out to be another one.
  const most = info.known || windowIsStated ? info.maxOutput : Math.min(info.maxOutput, Math.floor(tokens / 4));
  const maxOutput = Math.min(learned?.maxOutputTokens ?? Number.POSITIVE_INFINITY, most, tokens);
  const whole = outputReserve({ window: tokens, maxOutput, asked });
  const longest = replies.longestOf(key);
  const reserve = longest !== undefined && isGuess() ? Math.min(whole, usualReserve(tokens, longest)) : whole;
  return { tokens, source, maxOutput, reserve, asked, answerLimit: learned?.maxOutputTokens };

  /** Whether neither client nor model nor upstream says how long the answer gets: then a share of the window is kept. */
  function isGuess(): boolean {
    const unknown = info.maxOutput === unknownMaxOutput(info.window) && learned?.maxOutputTokens === undefined;
    const wanted = asked === undefined || asked <= 0 ? Number.POSITIVE_INFINITY : Math.floor(asked);
    return whole < Math.min(wanted, unknown ? Number.POSITIVE_INFINITY : maxOutput);
  }
}

/** An answer may be this many times as long as the longest of late. */
const longerAnswer = 2;
/** A single answer may be long although a hundred before it were tool calls: one that is cut costs more than a fold. */
const leastReserveShare = 0.125;
const leastReserve = 2_048;

/** What to keep free for an answer of a model whose answers are known, where nothing says how long it may get. */
function usualReserve(window: number, longest: number): number {
  return Math.max(leastReserve, Math.floor(window * leastReserveShare), Math.ceil(longest * longerAnswer));
}

function windowOf(
  limits: Limits,
  key: LimitKey,
  { info, windowIsStated, listedWindow }: Destination,
  learned: number | undefined,
): Pick<Window, "tokens" | "source"> {
  if (windowIsStated) return { tokens: info.window, source: "route" };
  const listed = listedWindow();
  const known = listed ?? (info.known ? info.window : undefined);
  const proven = limits.provenOf(key);
  if (learned !== undefined && (known === undefined || learned < known)) {
    return { tokens: Math.max(learned, proven), source: "learned" };
  }
  if (known !== undefined)
    return { tokens: Math.max(known, proven), source: listed === undefined ? "registry" : "upstream" };
  return { tokens: Math.max(info.window, Math.floor(proven * growth)), source: "guess" };
}

/** The share by which the upstream may count more than we do: the counter's own estimate, or what was measured. */
export function countingError(calibrations: Calibrations, key: LimitKey, counter: TokenCounter): number {
  const own = counter.exact ? 0 : (counter.errorBound ?? 0.05);
  return Math.max(own, calibrations.errorOf(key));
}

/** What the input may weigh, by our count. */
export function inputBudget(window: Window, preset: Preset, error: number): number {
  const { budget } = requestBudget({
    window: window.tokens,
    maxOutput: window.maxOutput,
    maxCompletionTokens: window.reserve,
    safetyTokens: preset.safetyTokens + Math.ceil((window.tokens * preset.safetyPercent) / 100),
  });
  return Math.floor(budget / (1 + error));
}

/**
 * The limit on the answer that the window leaves beside the input, if the client asked for more; undefined if it may
 * stay. Clients ask for 32 000 or 128 000 tokens whatever model they use, and upstreams refuse the sum.
 */
export function clampOutput(window: Window, inputTokens: number, margin: number): number | undefined {
  if (window.asked === undefined) return undefined;
  const most = Math.min(window.asked, window.answerLimit ?? Number.POSITIVE_INFINITY);
  const room = window.tokens - inputTokens - margin;
  if (window.asked <= Math.min(room, most)) return undefined;
  return Math.max(1, Math.min(most, Math.max(room, Math.min(window.reserve, shortestReply))));
}

/** Room for the shortest useful answer, such as one tool call. */
export const shortestReply = 1_024;

/** The same window with room for a short answer only. */
export function tightWindow(window: Window): Window {
  const reserve = Math.min(window.reserve, shortestReply);
  return { ...window, reserve, asked: Math.min(window.asked ?? reserve, reserve) };
}
