import {
  type Clock,
  type FoldOptions,
  type FoldRecord,
  type FoldResult,
  fold,
  type Message,
  MidfoldError,
  type Plan,
  type Preset,
  plan,
  presets,
  type Summarizer,
  type TokenCounter,
  type Warning,
} from "@midfold/core";
import { checkSources, type SourceCheck } from "@midfold/core/chat";

/** A fold of a session's history as plain data, which can be sent to a thread. */
export interface HistoryFold {
  /** What may be folded and what follows it, oldest first; each has its id. */
  readonly messages: readonly Message[];
  /** Ids of messages that must stay: a reply that is being written, and everything after it. */
  readonly held: readonly string[];
  readonly options: Pick<
    FoldOptions,
    "budget" | "window" | "system" | "tools" | "previous" | "retainTokens" | "foldLine" | "summary"
  >;
  /** Size that the whole request should stay under. */
  readonly limit: number;
  readonly maxSummaryTokens: number;
}

export interface HistoryTools {
  /** The counter of the conversation's model. */
  readonly counter: TokenCounter;
  readonly summarizer: Summarizer;
  readonly onProgress?: FoldOptions["onProgress"];
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

export interface FoldedHistory extends SourceCheck, Pick<FoldResult<Message>, "plan" | "tokens"> {
  readonly fold: FoldRecord;
  readonly loss: NonNullable<FoldResult<Message>["losses"]>[number];
  /** The values that the model's summary says and no message does. */
  readonly unsaid: Warning | undefined;
}

/** What a fold of this history would do, without writing a summary. */
export function planHistory(history: HistoryFold, counter: TokenCounter): Plan {
  return plan(history.messages, optionsOf(history, counter));
}

/** Folds the history, and finds the source of each sentence of the summary. Throws SUMMARY_FAILED. */
export async function foldHistory(history: HistoryFold, tools: HistoryTools): Promise<FoldedHistory> {
  const { counter, summarizer, onProgress, signal, clock } = tools;
  const result = await fold(history.messages, {
    ...optionsOf(history, counter),
    summarizer,
    // The upstream client already retries; the second attempt is for answers that arrive but cannot be used.
    summaryPolicy: { attempts: 2, fallback: "throw" },
    ...(history.options.summary === undefined ? {} : { summary: history.options.summary }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(signal === undefined ? {} : { signal }),
    ...(clock === undefined ? {} : { clock }),
  });
  const { state, losses } = result;
  const [text] = state?.texts ?? [];
  if (state === undefined || text === undefined || losses?.[0] === undefined) {
    throw new MidfoldError("SUMMARY_FAILED", "No usable summary: it would not be shorter than what it stands for.");
  }
  const { links, invented } = checkSources(text, foldedMessages(history, state), others(history));
  const unsaid = result.warnings.find(({ code }) => code === "summary-invented");
  return { fold: state, plan: result.plan, tokens: result.tokens, loss: losses[0], links, invented, unsaid };
}

/** What a sentence may come from beside the folded messages: the summary before, the system prompt and what stays. */
function others({ messages, options }: HistoryFold): readonly Message[] {
  const { previous, system = [] } = options;
  const text = (text: string): Message => ({ role: "system", parts: [{ type: "text", text }] });
  return [
    ...(previous === undefined ? [] : [text(previous.text)]),
    ...(typeof system === "string" ? [text(system)] : system),
    ...messages,
  ];
}

/** The messages a fold replaced. In its record the previous summary counts as the first message. */
export function foldedMessages({ messages, options }: HistoryFold, { edits }: FoldRecord): readonly Message[] {
  const ahead = options.previous === undefined ? 0 : 1;
  return edits.flatMap((edit) =>
    edit.do === "drop" ? messages.slice(Math.max(0, edit.first - ahead), edit.last + 1 - ahead) : [],
  );
}

function optionsOf({ options, held, limit, maxSummaryTokens }: HistoryFold, counter: TokenCounter) {
  const { summary: _, ...fixed } = options;
  const stays = new Set(held);
  const preset: Preset = {
    ...presets.chat,
    minTokens: 0,
    trigger: { tokens: Math.max(1, limit) },
    maxFrameTokens: maxSummaryTokens,
  };
  return {
    ...fixed,
    format: "midfold",
    preset,
    counter,
    force: true,
    // A snapshot is used for every later question; excerpts are recalled for each of them when it is sent
    // (`recall-folded.ts`).
    recall: 0,
    pin: ({ id }: Message) => id !== undefined && stays.has(id),
  } as const;
}
