import type { Warn, Warning } from "../errors/warning.ts";
import type { NamedFormat } from "../formats/format.ts";
import type { ToolsInput } from "../formats/read-tools.ts";
import type { Message } from "../message/message.ts";
import type { Rung } from "../plan/draft.ts";
import type { FoldCache, FoldRecord } from "../plan/fold-record.ts";
import type { Plan } from "../plan/plan.ts";
import type { Preset, PresetName } from "../presets/preset.ts";
import type { LossReport } from "../summary/find-loss.ts";
import type { SummaryPolicy } from "../summary/run-summary.ts";
import type { SummarizeFunction, Summarizer } from "../summary/summarizer.ts";
import type { SummaryPromptOptions } from "../summary/summary-prompt.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import type { ToolChoice } from "../tokens/tool-choice.ts";

export interface FoldOptions {
  /** Names the window, the output limit and the counter. Unknown models get a careful default and a warning. */
  readonly model?: string;
  /** The wire format of the messages; found out when absent. `midfold` for messages of Midfold's own, `{ role, parts }`. */
  readonly format?: NamedFormat;
  /** The model's real window, when the caller knows better than the registry. */
  readonly window?: number;
  /** Tokens the answer may need; the preset's rule when absent. */
  readonly maxOutputTokens?: number;
  /** The whole input budget, instead of one computed from the window. */
  readonly budget?: number;
  /** The low-water mark as a share of the budget (0–1), instead of the preset's. */
  readonly target?: number;
  /** `agent` when absent. A preset may be changed: `{ ...presets.agent, head: { messages: 4 } }`. */
  readonly preset?: PresetName | Preset;
  /** Strategies of your own, in order, instead of the preset's ladder. */
  readonly rungs?: readonly Rung[];
  /** A system prompt that travels beside the messages (Anthropic `system`, Responses `instructions`). */
  readonly system?: string | readonly Message[];
  /** The tools offered with the request, in the shape of any SDK. */
  readonly tools?: ToolsInput;
  /** Which of the tools the model may or must call; some choices cost tokens. */
  readonly toolChoice?: ToolChoice | undefined;
  /**
   * Clips a tool result as soon as it appears, also where everything fits, when it alone is over this share (0–1) of the
   * window. It depends on that one message only, so the prefix never moves later. Off when absent.
   */
  readonly clipNewResults?: number;
  /** Further tokens of the request that no fold can free. */
  readonly fixedTokens?: number;
  /** Counts tokens: a function from a text to a number, or a whole counter such as `getCounter` gives. */
  readonly counter?: TokenCounter | ((text: string) => number);
  /** Messages that must survive word for word, besides those that carry `pinned`. */
  readonly pin?: (message: Message, index: number) => boolean;
  /** The record an earlier call returned; makes folds sticky without a cache. */
  readonly state?: FoldRecord | undefined;
  readonly cache?: FoldCache;
  /**
   * Whether the provider has dropped the session's prompt cache, because the last call was too long ago: about 5 minutes with
   * Anthropic (an hour if asked for), 5 to 10 with OpenAI. A fold due within the calls of one turn of the user is then done at
   * once, since the whole prefix is paid for anew either way; no other call is folded for it. Say it with every call of a
   * session that uses `cache`, also when it is false: only then is a fold that came early looked for while everything fits.
   *
   * @example
   * const cacheIsCold = Date.now() - answeredAt > 5 * 60_000;
   * const { messages: fitted, state: next } = await fold(messages, { model: "claude-sonnet-4-5", state, cacheIsCold });
   */
  readonly cacheIsCold?: boolean | undefined;
  /**
   * Writes what takes the place of folded messages: an async function from the request (its `prompt` is ready to send) to a
   * text. Without one, and where it fails, the digest stands in.
   */
  readonly summarizer?: Summarizer | SummarizeFunction;
  /**
   * Puts back excerpts of folded messages that bear on the last user message, up to so many tokens; 0: none. Absent: as the
   * preset says: with `agent` and `chat` up to half the room, at most 3000 tokens, where a question is asked about a
   * conversation without tools; less otherwise, and less in a session, where excerpts stay. With `proxy` only in spare room.
   */
  readonly recall?: number;
  /**
   * Signs frames. A frame that comes back in the messages is believed, rules in it included, when it bears this signature
   * or stands in `state`; any other is quoted text. Keep it out of reach of whoever writes messages.
   */
  readonly secret?: string;
  /** Template, tag, style, language and focus of the summary. */
  readonly summary?: Omit<SummaryPromptOptions, "counter" | "maxTokens" | "previous">;
  readonly summaryPolicy?: Partial<SummaryPolicy>;
  /** Time for pauses between attempts at a summary; without one, attempts follow each other at once. */
  readonly clock?: Clock;
  /** Also say what the frames of this fold lost. Costs one more look at the folded messages. */
  readonly reportLoss?: boolean;
  /**
   * Called instead of folding, with the record that may be carried on, once it is certain that a new fold is needed: to do
   * the work in another thread. Its result is returned as it is, and nothing is saved here.
   */
  readonly elsewhere?: (record: FoldRecord | undefined) => Promise<FoldResult<unknown>>;
  /**
   * How many tokens of the newest messages stay as they are, in whole messages, instead of the preset's own rule; all that
   * is older is folded. Fewer stay where the budget has no room for them. Needs a preset without a head, such as `chat`.
   *
   * @example await fold(messages, { model: "gpt-4o", preset: "chat", retainTokens: 1_000 })
   */
  readonly retainTokens?: number;
  /**
   * The last message to fold, by its `id` or its index, chosen by hand: folds also where everything fits, and whatever
   * stands before the line, the last user message included. A line inside a tool exchange moves to the nearer end of it.
   *
   * @example await fold(messages, { model: "gpt-4o", preset: "chat", foldLine: 12 })
   */
  readonly foldLine?: string | number;
  /**
   * A summary of what came before the first message given, which the next fold carries on. It is sent before the messages
   * (after their system prompt) and counts as one of them in plans and records.
   *
   * @example await fold(rest, { model: "gpt-4o", previous: { text: state.texts.join("\n"), covers: state.covers } })
   */
  readonly previous?: PreviousSummary | undefined;
  /** Told how far a fold is, for whoever waits for it. */
  readonly onProgress?: (progress: FoldProgress) => void;
  /** Fold even though everything fits (a person pressed the button). */
  readonly force?: boolean;
  readonly onInvalid?: "reject" | "skip";
  readonly warn?: Warn;
  readonly signal?: AbortSignal;
}

export interface PreviousSummary {
  /** The summary, or the whole frame of an earlier fold: a frame is sent again to the letter. */
  readonly text: string;
  /** How many messages it stands for. */
  readonly covers: number;
  /** Who says it; as the preset's frames when absent. */
  readonly role?: "system" | "user" | "assistant";
}

export interface FoldProgress {
  /** The steps of a fold, in order. */
  readonly stage: "reading" | "planning" | "writing" | "checking";
  /** Of this stage, from 0 to 1. */
  readonly share: number;
  /** The last line that was written, while a long history is summarized piece by piece. */
  readonly text?: string;
}

/** The engine has no clock of its own. */
export interface Clock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface FoldTokens {
  /** Size of the request as it came in and as it goes out, everything counted. */
  readonly before: number;
  readonly after: number;
  readonly budget: number;
  readonly target: number;
  readonly window: number;
  readonly fixed: number;
  /** False where the counter estimates. */
  readonly exact: boolean;
  /**
   * Where a session (`state`, `cache`) was folded just now: after so many further calls it has paid for writing the folded
   * messages anew into a cache that was warm, at the model's prices or, without any, at what most providers ask. 0 with
   * `cacheIsCold`: not folded, more would have been written.
   */
  readonly breakEvenCalls?: number | undefined;
}

/**
 * `fits` and `below-minimum`: left alone. `clipped`: it fits, and `clipNewResults` shortened tool results in it.
 * `reused`: an earlier fold was applied as it stood.
 */
export type FoldOutcome = "fits" | "below-minimum" | "clipped" | "reused" | "folded";

export interface FoldResult<Wire> {
  /** Same format as came in; the same array when nothing changed. Not read-only, so that every SDK's call takes it. */
  readonly messages: Wire[];
  readonly changed: boolean;
  readonly plan: Plan;
  readonly tokens: FoldTokens;
  /** Pass it back as `state` next time, or keep it in a cache. Undefined when nothing was folded. */
  readonly state: FoldRecord | undefined;
  /** How the outcome came about. */
  readonly outcome: FoldOutcome;
  readonly warnings: readonly Warning[];
  /** What the frames say, what was added to them, and what is missing; one per span. Only when asked for or summarized. */
  readonly losses?: readonly LossReport[];
}
