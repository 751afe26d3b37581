import { findLastUser } from "../atoms/find-last-user.ts";
import { clipMessage } from "../clip/clip-message.ts";
import { isFrame } from "../digest/frame.ts";
import { assertWhole } from "../errors/assert-number.ts";
import { isMidfoldError, MidfoldError } from "../errors/midfold-error.ts";
import { foldSync } from "../fold/fold-sync.ts";
import { asMessages } from "../formats/as-messages.ts";
import { detectFormat } from "../formats/detect-format.ts";
import type { Rung, Strategy } from "../plan/draft.ts";
import { presets } from "../presets/presets.ts";
import { clipOversized } from "../strategies/clip-oversized.ts";
import { tokenBudget } from "../strategies/drop-oldest.ts";
import { type SelectiveOptions, selective } from "../strategies/selective.ts";
import { shortenTail } from "../strategies/shorten-tail.ts";
import { slidingWindow } from "../strategies/sliding-window.ts";
import { smart } from "../strategies/smart.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";

/** One way of truncating a list of messages, in any known format, to a number of tokens. */
export interface TruncationStrategy {
  /** Steps of the engine; a strategy of your own needs only `truncate`. */
  readonly rungs?: readonly Rung[];
  /** Same format in and out. */
  truncate(messages: readonly object[], targetTokens: number, counter: TokenCounter): readonly object[];
}

/** What the strategies here share: steps of the engine, and harder ones when those do not suffice. */
abstract class EngineStrategy implements TruncationStrategy {
  abstract readonly rungs?: readonly Rung[];

  /** The messages within `targetTokens`. Throws CONTEXT_OVERFLOW only where the system prompt alone is larger. */
  truncate<Wire extends object>(
    messages: readonly Wire[],
    targetTokens: number,
    counter: TokenCounter,
  ): readonly Wire[] {
    return truncateWith([this], messages, targetTokens, counter);
  }
}

/** Only the newest messages stay. */
export class SlidingWindowStrategy extends EngineStrategy {
  readonly windowSize: number;
  readonly preserveSystem: boolean;
  declare readonly rungs?: readonly Rung[];

  constructor({ windowSize = 20, preserveSystem = true }: { windowSize?: number; preserveSystem?: boolean } = {}) {
    super();
    assertWhole("windowSize", windowSize, 1);
    this.windowSize = windowSize;
    this.preserveSystem = preserveSystem;
    const rule = `keep the last ${windowSize} messages`;
    if (preserveSystem) this.rungs = [rung("sliding-window", rule, slidingWindow({ messages: windowSize }))];
  }

  override truncate<Wire extends object>(
    messages: readonly Wire[],
    targetTokens: number,
    counter: TokenCounter,
  ): readonly Wire[] {
    if (this.preserveSystem || sizeOf(messages, counter) <= targetTokens) {
      return super.truncate(messages, targetTokens, counter);
    }
    // The engine never removes a system prompt, so it is taken out before the engine sees the messages.
    const newest = messages.length - this.windowSize;
    const rest = messages.filter((message, index) => index >= newest || asMessages([message])[0]?.role !== "system");
    // What is left may fit already, and is a window all the same.
    const target = Math.min(targetTokens, rest.length > this.windowSize ? sizeOf(rest, counter) - 1 : targetTokens);
    return new SlidingWindowStrategy({ windowSize: this.windowSize }).truncate(rest, target, counter);
  }
}

/** The oldest messages go until the rest fits. */
export class TokenBudgetStrategy extends EngineStrategy {
  readonly rungs: readonly Rung[] = [rung("token-budget", "drop the oldest messages", tokenBudget())];
}

/** The first and the last messages stay, the middle goes. */
export class SmartTruncationStrategy extends EngineStrategy {
  readonly preserveFirst: number;
  readonly preserveLast: number;
  readonly rungs: readonly Rung[];

  constructor({ preserveFirst = 2, preserveLast = 10 }: { preserveFirst?: number; preserveLast?: number } = {}) {
    super();
    assertWhole("preserveFirst", preserveFirst, 0);
    assertWhole("preserveLast", preserveLast, 0);
    this.preserveFirst = preserveFirst;
    this.preserveLast = preserveLast;
    const rule = `keep the first ${preserveFirst} and the last ${preserveLast} messages`;
    this.rungs = [rung("smart", rule, smart({ preserveFirst, preserveLast }))];
  }
}

/** Tool outputs go first, then the oldest messages of the roles that may go. */
export class SelectiveTruncationStrategy extends EngineStrategy {
  readonly rungs: readonly Rung[];

  constructor(options: SelectiveOptions = {}) {
    super();
    this.rungs = [rung("selective", "drop tool outputs, then messages of other roles", selective(options))];
  }
}

/** Chains strategies: each acts only while the target is not met. */
export class CompositeStrategy implements TruncationStrategy {
  readonly strategies: readonly TruncationStrategy[];

  constructor(strategies: readonly TruncationStrategy[]) {
    this.strategies = strategies;
  }

  truncate<Wire extends object>(
    messages: readonly Wire[],
    targetTokens: number,
    counter: TokenCounter,
  ): readonly Wire[] {
    return truncateWith(this.strategies, messages, targetTokens, counter);
  }
}

/** The preset these strategies run under: no frames, no low-water mark below the target. */
const truncationPreset = { ...presets.agent, name: "truncation", rungs: [], target: 1, replace: "nothing" } as const;

/** What is tried when the strategies alone did not fit. */
const harder: readonly Rung[] = [
  { name: "shorten-tail", rule: "drop more of the recent messages", strategy: shortenTail({ replace: "nothing" }) },
  { name: "clip-oversized", rule: "clip the largest messages that are left", strategy: clipOversized() },
];

/** Strategies one after the other while the messages are over the target; then harder steps; then the aggressive one. */
export function truncateWith<Wire extends object>(
  strategies: readonly TruncationStrategy[],
  messages: readonly Wire[],
  targetTokens: number,
  counter: TokenCounter,
): readonly Wire[] {
  if (!(targetTokens > 0)) {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      `targetTokens must be a positive number of tokens, not ${targetTokens}.`,
    );
  }
  let current = messages;
  for (const strategy of strategies) {
    if (sizeOf(current, counter) <= targetTokens) return current;
    if (strategy.rungs === undefined) {
      current = strategy.truncate(current, targetTokens, counter) as readonly Wire[];
      continue;
    }
    const climbed = climb(strategy.rungs, current, targetTokens, counter);
    if (saysSomething(climbed)) current = climbed;
  }
  if (sizeOf(current, counter) <= targetTokens) return current;
  try {
    const options = {
      counter,
      budget: targetTokens,
      preset: truncationPreset,
      rungs: harder,
      onInvalid: "skip",
    } as const;
    const { messages: folded } = foldSync(current, options);
    if (saysSomething(folded)) return folded;
  } catch (error) {
    if (!isMidfoldError(error, "CONTEXT_OVERFLOW")) throw error;
  }
  return truncateAggressively(current, targetTokens, counter);
}

/** Without words of the user nothing is held and all of it could go; an empty list is no request. */
function saysSomething(messages: readonly object[]): boolean {
  return messages.length > 0 && asMessages(messages).some(({ role }) => role !== "system");
}

/** As far as the rungs come: the target is what they aim at, missing it is no error yet. */
function climb<Wire>(
  rungs: readonly Rung[],
  messages: readonly Wire[],
  targetTokens: number,
  counter: TokenCounter,
): readonly Wire[] {
  const most = Number.MAX_SAFE_INTEGER;
  const preset = { ...truncationPreset, trigger: { tokens: Math.max(2, targetTokens) } };
  return foldSync(messages, { counter, budget: most, window: most, preset, rungs, onInvalid: "skip" }).messages;
}

/**
 * "Aggressive truncation", when even what must stay is too large: the system prompt, and of the user's last message
 * as much as fits. Throws CONTEXT_OVERFLOW where not even that is possible.
 */
function truncateAggressively<Wire extends object>(
  messages: readonly Wire[],
  targetTokens: number,
  counter: TokenCounter,
): readonly Wire[] {
  const format = detectFormat(messages);
  const decoded = format.decode(messages, { onInvalid: "skip" });
  const system = decoded.filter((message) => message.role === "system" && !isFrame(message));
  const last = decoded[findLastUser(decoded, isFrame)] ?? decoded.findLast((message) => message.role === "assistant");
  const room = targetTokens - counter.countMessages(system);
  const clipped = last === undefined ? undefined : clipMessage(last, room, counter);
  if (clipped === undefined || counter.countMessage(clipped) > room) {
    throw new MidfoldError(
      "CONTEXT_OVERFLOW",
      `Only ${targetTokens} tokens are allowed, and the system messages take ${targetTokens - room} of them: ` +
        "nothing of the last message fits. Shorten them or allow more.",
      { details: { budget: targetTokens, room } },
    );
  }
  const kept = clipped === last ? last.source : format.encode(clipped);
  return [...system.map((message) => message.source), kept] as Wire[];
}

/** What a list in any known format weighs. */
export function sizeOf(messages: readonly object[], counter: TokenCounter): number {
  return messages.length === 0 ? 0 : counter.countMessages(asMessages(messages));
}

function rung(name: string, rule: string, strategy: Strategy): Rung {
  return { name, rule, strategy };
}
