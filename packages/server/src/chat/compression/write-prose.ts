import {
  type Message,
  resolveModel,
  type SummaryPromptOptions,
  type SummaryResult,
  type TokenCounter,
} from "@midfold/core";
import { chunkHistory, minSummaryTokens } from "@midfold/core/chat";
import { frame, parseFrame, runSummary, type SummaryOutcome } from "@midfold/core/summaries";
import type { Chat } from "../chat.ts";
import type { ChatSettings } from "../settings/chat-settings.ts";
import type { SummarizerChoice } from "./choose-summarizer.ts";

/** What is to be summarised: plain data, so that it can be handed to a thread. */
export interface ProseJob {
  readonly messages: readonly Message[];
  readonly weights: readonly number[];
  /** How many messages of the session the summary will stand for in all. */
  readonly covers: number;
  readonly previous: string | undefined;
  /** What the summary may weigh as it is sent, frame included. */
  readonly maxTokens: number;
  readonly settings: Pick<ChatSettings, "summaryTemplate" | "summaryPrompt" | "summaryStyle">;
  readonly instructions: string | undefined;
}

export interface ProseTools {
  readonly choice: SummarizerChoice;
  /** Counts as the conversation's model does. */
  readonly counter: TokenCounter;
  readonly onProgress: (share: number, text: string) => void;
  readonly signal: AbortSignal;
  readonly sleep: Chat["sleep"];
  readonly now: Chat["now"];
}

export interface Prose {
  /** Prose and ledger, exactly as they stand inside the frame. */
  readonly text: string;
  /** Facts that were missing and put back into the ledger. */
  readonly repaired: number;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

/** Room for a prompt's own words, beside the transcript. */
const promptTokens = 2500;
const largestInput = 100_000;
/** The upstream client has retried by itself; this is for answers that arrive and are not usable. */
const attempts = 2;

/** Summarises in stretches that fit the summarizer, each carrying on the one before, checked and repaired. */
export async function writeProse(job: ProseJob, tools: ProseTools): Promise<Prose> {
  const { counter, choice } = tools;
  const maxTokens = Math.max(minSummaryTokens / 2, job.maxTokens - frameTokens(counter, job.covers));
  const inputTokens = readableTokens(choice, maxTokens);
  const chunks = chunkHistory(job.messages, job.weights, inputTokens);
  let text = job.previous;
  let usage: Prose["usage"] = null;
  let repaired = 0;
  for (const [index, messages] of chunks.entries()) {
    tools.onProgress(index / chunks.length, lastLine(text));
    const written = await runSummary({
      summarizer: choice.summarizer,
      messages,
      counter,
      maxTokens,
      prompt: {
        ...promptOf(job),
        inputTokens: inputTokens + promptTokens,
        ...(text === undefined ? {} : { previous: text }),
      },
      policy: { attempts, fallback: "throw" },
      sleep: tools.sleep,
      now: tools.now,
      signal: tools.signal,
    });
    text = withLedger(written, job.covers);
    usage = addUsage(usage, written.usage);
    repaired += written.report.repaired;
  }
  tools.onProgress(1, lastLine(text));
  return { text: text ?? "", repaired, usage };
}

/** What was written last, for whoever watches. */
function lastLine(text: string | undefined): string {
  return text?.trimEnd().split("\n").at(-1)?.slice(0, 120) ?? "";
}

/** Prose and ledger as they stand inside a frame. */
function withLedger({ kind, text, ledger }: SummaryOutcome, covers: number): string {
  return parseFrame(frame({ kind, text, ledger, covers }))?.text ?? text;
}

function promptOf({ settings, instructions }: ProseJob): Omit<SummaryPromptOptions, "counter" | "maxTokens"> {
  const { summaryTemplate, summaryPrompt: own, summaryStyle } = settings;
  return {
    ...(summaryTemplate === "custom" ? (own === null ? {} : { prompt: own }) : { template: summaryTemplate }),
    ...(summaryStyle === "balanced" ? {} : { style: summaryStyle }),
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** How much a summarizer can read at once; the built-in one has no window. */
function readableTokens(choice: SummarizerChoice, maxTokens: number): number {
  if (choice.model === null) return largestInput;
  const { window } = resolveModel(choice.model);
  return Math.max(1000, Math.min(largestInput, Math.floor(window * 0.9) - maxTokens - promptTokens));
}

/** What the frame around the text costs. */
function frameTokens(counter: TokenCounter, covers: number): number {
  const text = frame({ kind: "summary", text: "", covers });
  return counter.countMessage({ role: "system", parts: [{ type: "text", text }] });
}

function addUsage(a: Prose["usage"], b: SummaryResult["usage"]): Prose["usage"] {
  if (b === undefined) return a;
  return {
    inputTokens: (a?.inputTokens ?? 0) + b.inputTokens,
    outputTokens: (a?.outputTokens ?? 0) + b.outputTokens,
  };
}
