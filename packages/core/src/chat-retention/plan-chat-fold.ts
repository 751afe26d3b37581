import type { Message } from "../message/message.ts";
import { type ChatCut, chatCuts } from "./chat-cuts.ts";

/** Below this a summary says nothing worth its tokens. */
export const minSummaryTokens = 64;

export interface ChatFoldOptions {
  /** The messages after the summary in force, without the input being sent. */
  readonly messages: readonly Message[];
  readonly weights: ArrayLike<number>;
  /** R1 FR-1.3: newest tokens that stay as they are. */
  readonly retentionTokens: number;
  /** Tokens of the summary in force, which the new one takes the place of. */
  readonly previousTokens?: number;
  /** The largest summary wanted. */
  readonly maxSummaryTokens: number;
  /** What summary and kept messages may weigh together: the history's budget without system prompt and tools. */
  readonly room: number;
  /** A person's fold line: fold this many messages, moved to the nearest legal cut. Wins over `retentionTokens`. */
  readonly foldMessages?: number;
}

/** What a compression will do, as data: the preview, the run and the tests look at the same plan. */
export interface ChatFoldPlan {
  readonly cut: ChatCut;
  readonly cuts: readonly ChatCut[];
  /** What the summary may weigh. */
  readonly summaryTokens: number;
  /** Fewer messages are kept than retention asks for, because they would not fit (R1 FR-5.3.1). */
  readonly reduced: boolean;
  /** The summary is held shorter than wanted for the same reason. */
  readonly harder: boolean;
  /** Even the smallest form is over the budget: the user must be told. */
  readonly limited: boolean;
}

/** Where to cut and how large the summary may be. Keeps as many recent messages as retention and room allow. */
export function planChatFold(options: ChatFoldOptions): ChatFoldPlan {
  const { room } = options;
  const cuts = chatCuts(options.messages, options.weights);
  const wanted =
    options.foldMessages === undefined ? retain(cuts, options.retentionTokens) : nearest(cuts, options.foldMessages);
  const summaryFor = (cut: ChatCut) =>
    summaryLimit(cut.foldedTokens + (options.previousTokens ?? 0), options.maxSummaryTokens);
  const fits = (cut: ChatCut) => cut.keptTokens + summaryFor(cut) <= room;
  const cut =
    cuts.find((candidate) => candidate.messages >= wanted.messages && fits(candidate)) ?? (cuts.at(-1) as ChatCut);
  const summary = summaryFor(cut);
  const left = Math.max(0, room - cut.keptTokens);
  return {
    cut,
    cuts,
    summaryTokens: Math.max(minSummaryTokens, Math.min(summary, left)),
    reduced: cut.messages > wanted.messages,
    harder: summary > left,
    limited: left < minSummaryTokens,
  };
}

/** R1 FR-1.3.4: the earliest cut whose rest fits the retention, which keeps the most messages. */
function retain(cuts: readonly ChatCut[], retentionTokens: number): ChatCut {
  return cuts.find((cut) => cut.keptTokens <= retentionTokens) ?? (cuts.at(-1) as ChatCut);
}

function nearest(cuts: readonly ChatCut[], messages: number): ChatCut {
  return cuts.reduce((best, cut) =>
    Math.abs(cut.messages - messages) < Math.abs(best.messages - messages) ? cut : best,
  );
}

/**
 * The largest summary for what it stands for: a third of it at most. Less would lose detail for nothing in short
 * histories; more, and the next fold is only a few turns away.
 */
export function summaryLimit(foldedTokens: number, wanted: number): number {
  return Math.max(minSummaryTokens, Math.min(wanted, Math.floor(foldedTokens / 3)));
}
