import { digest } from "../digest/digest.ts";
import type { Frame, FrameKind } from "../digest/frame.ts";
import { noLines, renderLines } from "../digest/lines.ts";
import { takeFrames } from "../digest/take-frames.ts";
import { isMidfoldError, MidfoldError } from "../errors/midfold-error.ts";
import { type Message, textMessage } from "../message/message.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { acceptSummary, type SummaryFault } from "./accept-summary.ts";
import { checkAndRepair, type Repair, rulesOf } from "./check-and-repair.ts";
import { findLoss, type LossReport } from "./find-loss.ts";
import { languageOf } from "./language-of.ts";
import { type Marked, markInvented } from "./mark-invented.ts";
import type { Summarizer, SummaryResult } from "./summarizer.ts";
import { afterChatFailure, breakerState, type ChatBreaker, closedBreaker } from "./summary-breaker.ts";
import { isHandlebars, type SummaryPromptOptions, summaryPrompt } from "./summary-prompt.ts";

/**
 * One summary, whatever happens: the summarizer is tried, tried again after a pause, tried with less input, and when it
 * fails, the digest is used instead. Time comes in through `now` and `sleep`.
 */
export interface RunSummaryOptions {
  readonly summarizer: Summarizer;
  readonly messages: readonly Message[];
  /** The rest of the conversation, such as its system prompt and the messages that stay: what it says is not invented. */
  readonly others?: readonly Message[];
  readonly counter: TokenCounter;
  /** Bound for text and ledger together. */
  readonly maxTokens: number;
  /** Template, tag, style, language, instructions, previous summary, and the summarizer's input room. */
  readonly prompt?: Omit<SummaryPromptOptions, "counter" | "maxTokens">;
  readonly policy?: Partial<SummaryPolicy>;
  /** Whether a frame among the messages was made by us: only then its rules are rules. */
  readonly believes?: ((frame: Frame) => boolean) | undefined;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly now: () => number;
  readonly signal?: AbortSignal;
  readonly breaker?: ChatBreaker;
}

export interface SummaryPolicy {
  /** Calls to the summarizer, all in all. */
  readonly attempts: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Share that the repair ledger may take of what `maxTokens` leave beside the summary before. */
  readonly ledgerShare: number;
  /** Whether a summary that is no smaller than what it stands for is a failure. */
  readonly mustShrink: boolean;
  /** `digest` when the summarizer fails, or `throw` SUMMARY_FAILED. */
  readonly fallback: "digest" | "throw";
}

export const defaultSummaryPolicy: SummaryPolicy = {
  attempts: 3,
  firstPauseMs: 500,
  longestPauseMs: 8_000,
  ledgerShare: 0.25,
  mustShrink: true,
  fallback: "digest",
};

export interface SummaryAttempt {
  readonly inputTokens: number;
  readonly outcome: "accepted" | SummaryFault | "error";
  readonly error?: unknown;
}

export interface SummaryOutcome {
  /** Who wrote the text: goes into the frame as its kind. */
  readonly kind: FrameKind;
  readonly text: string;
  readonly ledger: Repair["ledger"];
  /** Text and ledger together: the `previous` of the next summary, so that what was repaired stays. */
  readonly carry: string;
  readonly report: LossReport;
  /** Exact values in the text that are in none of the messages; they are marked in it. */
  readonly invented?: readonly string[];
  readonly attempts: readonly SummaryAttempt[];
  /** Pass it in again next time. */
  readonly breaker: ChatBreaker;
  readonly model?: string;
  readonly usage?: SummaryResult["usage"];
}

/**
 * Asks a summarizer, checks what it wrote, tries again where that can help, and says what happened in each attempt.
 *
 * @example const outcome = await runSummary({ summarizer, messages, counter, maxTokens: 800, sleep, now: Date.now });
 */
export async function runSummary(given: RunSummaryOptions): Promise<SummaryOutcome> {
  const options = withFramesAsPrevious(given);
  const policy = { ...defaultSummaryPolicy, ...options.policy };
  const before = options.breaker ?? closedBreaker;
  if (breakerState(before, options.now()) !== "closed") return stand(options, policy, [], before);
  const attempts: SummaryAttempt[] = [];
  let inputTokens = options.prompt?.inputTokens ?? 100_000;
  for (let turn = 0; turn < policy.attempts; turn++) {
    throwIfAborted(options.signal);
    const tried = await attempt(options, policy, inputTokens);
    attempts.push(tried.attempt);
    if (tried.outcome !== undefined) return { ...tried.outcome, attempts, breaker: closedBreaker };
    const { error, outcome } = tried.attempt;
    if (outcome === "error" && isTooLong(error)) inputTokens = Math.floor(tried.attempt.inputTokens / 2);
    else if (outcome === "error" && isFinal(error)) break;
    else if (outcome !== "error") inputTokens = Math.floor(inputTokens * 0.7);
    if (turn + 1 < policy.attempts && outcome === "error") {
      await options.sleep(Math.min(policy.longestPauseMs, policy.firstPauseMs * 2 ** turn), options.signal);
    }
  }
  return stand(options, policy, attempts, afterChatFailure(before, options.now()));
}

/** Frames of earlier folds among the messages are the summary before them: they are merged, never summarized as talk. */
function withFramesAsPrevious(options: RunSummaryOptions): RunSummaryOptions {
  const { frames, rest } = takeFrames(options.messages, options.prompt?.previous);
  if (frames.length === 0) return options;
  const before = options.prompt?.previous ?? "";
  const given = before.trim() === "" ? undefined : frames[0];
  const vouched = (frame: Frame) => frame === given || options.believes?.(frame) === true;
  const previous = frames.map((frame) => (vouched(frame) ? frame.text : withoutRules(frame))).join("\n");
  return { ...options, messages: rest, prompt: { ...options.prompt, previous } };
}

/** What a frame that nobody vouches for calls rules is told as such: whoever pastes one would lay down rules with it. */
function withoutRules({ prose, rules, unverified, user, state, log }: Frame): string {
  const lines = renderLines({ rules: [], unverified: [...unverified, ...rules], user, state, log });
  return [prose, lines].filter((text) => text !== "").join("\n");
}

async function attempt(
  options: RunSummaryOptions,
  policy: SummaryPolicy,
  inputTokens: number,
): Promise<{ attempt: SummaryAttempt; outcome?: Omit<SummaryOutcome, "attempts" | "breaker"> }> {
  const { counter, messages, maxTokens } = options;
  const before = options.prompt?.previous;
  // The summary before has its own ledger in it: cut down for the next one at every fold, it would soon say nothing.
  const carried = before === undefined ? 0 : Math.min(maxTokens, counter.count(before));
  // But rules have their room: a text that filled all of it left none for them.
  const bound = policy.ledgerShare > 0 ? rulesOf(messages, before, options.believes).rules : [];
  const rules = counter.count(renderLines({ ...noLines, rules: bound }));
  const textTokens = Math.min(
    carried + Math.floor((maxTokens - carried) * (1 - policy.ledgerShare)),
    maxTokens - Math.min(rules === 0 ? 0 : rules + 8, Math.floor(maxTokens / 2)),
  );
  const render = isHandlebars(options.prompt?.prompt)
    ? (await import("./render-handlebars.ts")).renderHandlebars
    : undefined;
  const language = options.prompt?.language ?? (await languageOf(messages));
  const prompt = summaryPrompt(
    messages,
    { ...options.prompt, ...(language !== undefined && { language }), counter, maxTokens: textTokens, inputTokens },
    render,
  );
  const { previous, instructions, summaryTag, model } = options.prompt ?? {};
  const request = {
    prompt,
    messages,
    maxTokens: textTokens,
    ...(previous !== undefined && { previous }),
    ...(instructions !== undefined && { instructions }),
    ...(model !== undefined && { model }),
  };
  let result: SummaryResult;
  try {
    result = await options.summarizer.summarize(request, options.signal);
  } catch (error) {
    throwIfAborted(options.signal, error);
    // What was really asked, where that is less: halving the limit alone would send the same prompt again.
    const asked = isTooLong(error) ? Math.min(inputTokens, counter.count(prompt)) : inputTokens;
    return { attempt: { inputTokens: asked, outcome: "error", error } };
  }
  const replacedTokens = counter.countMessages(messages) + (previous === undefined ? 0 : counter.count(previous));
  const acceptance = acceptSummary(result, {
    counter,
    maxTokens: textTokens,
    replacedTokens: policy.mustShrink ? replacedTokens : Number.POSITIVE_INFINITY,
    ...(summaryTag !== undefined && { summaryTag }),
  });
  if (!acceptance.accepted) return { attempt: { inputTokens, outcome: acceptance.fault } };
  const { text, invented } = markUnsaid(acceptance.text, options);
  const tokens = invented.length === 0 ? acceptance.tokens : counter.count(text);
  const ledgerTokens = Math.max(0, Math.min(maxTokens - tokens, replacedTokens - tokens) - 4);
  const { ledger, report } = checkAndRepair(text, messages, {
    counter,
    ledgerTokens,
    believes: options.believes,
    ...(previous !== undefined && { previous }),
  });
  return {
    attempt: { inputTokens, outcome: "accepted" },
    outcome: {
      kind: "summary",
      text,
      ledger,
      carry: carryOf(text, ledger),
      report,
      invented,
      ...(result.model !== undefined && { model: result.model }),
      ...(result.usage !== undefined && { usage: result.usage }),
    },
  };
}

/** Looks in the rest of the conversation only where something is in none of the messages: it may be long. */
function markUnsaid(summary: string, { messages, others = [], prompt = {} }: RunSummaryOptions): Marked {
  const { previous, instructions } = prompt;
  const marked = markInvented(summary, messages, previous);
  if (marked.invented.length === 0) return marked;
  const told = textMessage("user", instructions ?? "");
  return markInvented(summary, [...messages, ...takeFrames(others, undefined).rest, told], previous);
}

/** What stands where no summary came about. */
function stand(
  options: RunSummaryOptions,
  policy: SummaryPolicy,
  attempts: readonly SummaryAttempt[],
  breaker: ChatBreaker,
): SummaryOutcome {
  const last = attempts.at(-1);
  if (policy.fallback === "throw") {
    throw new MidfoldError("SUMMARY_FAILED", `No usable summary: ${describeAttempt(last)}.`, {
      details: {
        attempts: attempts.map(toDetails),
        failures: breaker.failures,
        retryAt: breaker.retryAt,
      },
      cause: last?.error,
    });
  }
  const { counter, maxTokens, messages } = options;
  const previous = options.prompt?.previous;
  const { text } = digest(messages, { counter, maxTokens, ...(previous !== undefined && { previous }) });
  const report = findLoss(text, messages);
  return { kind: "digest", text, ledger: {}, carry: text, report, attempts, breaker };
}

const faultWords: Readonly<Record<SummaryFault | "accepted" | "error", string>> = {
  "no-text": "the summarizer returned no text; it must return a string or { text }",
  empty: "the text was empty",
  "cut-off": "the text was cut off",
  "tool-call": "the model called a tool instead of writing",
  refused: "the model refused",
  "not-smaller": "the text was not shorter than what it stands for",
  accepted: "it was accepted",
  error: "it failed",
};

/** What came of the last attempt, in words: the summarizer's own, where it threw. */
export function describeAttempt(attempt: SummaryAttempt | undefined): string {
  if (attempt === undefined) return "it failed too often and is paused";
  return attempt.outcome === "error"
    ? errorText(attempt.error)
    : (faultWords[attempt.outcome] ?? `it ended with "${attempt.outcome}"`);
}

/** An attempt as it may stand in a warning or an error. */
export function toDetails({ outcome, error }: SummaryAttempt): { readonly outcome: string; readonly error?: string } {
  return outcome === "error" ? { outcome, error: errorText(error) } : { outcome };
}

const longestError = 300;

function errorText(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).trim().replace(/\.$/, "");
  return text.length <= longestError ? text : `${text.slice(0, longestError)}…`;
}

/** Asking again would end the same way: our own verdict, or a refusal of the provider such as a key it does not know. */
function isFinal(error: unknown): boolean {
  if (isMidfoldError(error)) return !error.retryable;
  const status = typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
  return typeof status === "number" && status >= 400 && status < 500 && ![408, 409, 425, 429].includes(status);
}

/** The summarizer's own window is too small for what it was given; by our count or by the provider's. */
function isTooLong(error: unknown): boolean {
  if (isMidfoldError(error)) return error.code === "CONTEXT_OVERFLOW" || error.code === "UPSTREAM_OVERFLOW";
  // A summarizer that is a plain function throws what its SDK throws.
  return error instanceof Error && tooLong.test(error.message);
}

const tooLong = /context.?(?:length|window)|too (?:long|many (?:input )?tokens)|exceeds? .{0,40}(?:token|context)/i;

export function carryOf(text: string, ledger: Repair["ledger"]): string {
  const exact = renderLines({ ...noLines, ...ledger });
  return exact === "" ? text : `${text}\n${exact}`;
}

function throwIfAborted(signal: AbortSignal | undefined, cause?: unknown): void {
  if (!signal?.aborted) return;
  throw new MidfoldError("ABORTED", "The summary was cancelled.", { cause: cause ?? signal.reason });
}
