import {
  type LossReport as CoreLoss,
  checkAndRepair,
  chunkHistory,
  frame,
  linkSources,
  type Message,
  minSummaryTokens,
  parseFrame,
  resolveModel,
  runSummary,
  type SourceLink,
  type SummaryOutcome,
  type SummaryPromptOptions,
  type SummaryResult,
  type TokenCounter,
} from "@midfold/core";
import type { LossReport } from "../../api/summary.ts";
import type { Chat } from "../chat.ts";
import type { ChatSettings } from "../settings/chat-settings.ts";
import type { SummarizerChoice } from "./choose-summarizer.ts";

export interface SummaryJob {
  readonly messages: readonly Message[];
  readonly weights: ArrayLike<number>;
  /** How many messages of the session the summary will stand for in all. */
  readonly covers: number;
  readonly previous: string | undefined;
  /** Counts as the conversation's model does. */
  readonly counter: TokenCounter;
  /** What the summary may weigh as it is sent, frame included. */
  readonly maxTokens: number;
  readonly choice: SummarizerChoice;
  readonly settings: Pick<ChatSettings, "summaryTemplate" | "summaryPrompt" | "summaryStyle">;
  readonly instructions?: string | undefined;
  readonly onProgress?: (share: number, text: string) => void;
  readonly signal: AbortSignal;
  readonly sleep: Chat["sleep"];
  readonly now: Chat["now"];
}

export interface WrittenSummary {
  /** Prose and ledger, exactly as they stand inside the frame. */
  readonly text: string;
  readonly tokens: number;
  readonly model: string | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly costUsd: number | null;
  readonly loss: LossReport;
  readonly links: readonly SourceLink[];
}

/** Room for a prompt's own words, beside the transcript. */
const promptTokens = 2500;
const largestInput = 100_000;
const builtInInput = 60_000;
/** The upstream client has retried by itself; this is for answers that arrive and are not usable. */
const attempts = 2;

/** Summarises in stretches that fit the summarizer, each carrying on the one before, checked and repaired. */
export async function writeSummary(job: SummaryJob): Promise<WrittenSummary> {
  const { counter, choice } = job;
  const maxTokens = Math.max(minSummaryTokens / 2, job.maxTokens - frameTokens(job));
  const inputTokens = readableTokens(choice, maxTokens);
  const chunks = chunkHistory(job.messages, job.weights, inputTokens);
  let text = job.previous;
  let report: CoreLoss | undefined;
  let usage: WrittenSummary["usage"] = null;
  for (const [index, messages] of chunks.entries()) {
    job.onProgress?.(index / chunks.length, text?.slice(-120) ?? "");
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
      sleep: job.sleep,
      now: job.now,
      signal: job.signal,
    });
    text = withLedger(written, job.covers);
    usage = addUsage(usage, written.usage);
    report = written.report;
  }
  job.onProgress?.(1, text?.slice(-120) ?? "");
  const whole = text ?? "";
  // Each stretch was checked by itself; what the user is told is about all of them.
  if (chunks.length > 1 || report === undefined) {
    report = checkAndRepair(whole, job.messages, { counter, ledgerTokens: 0 }).report;
  }
  return {
    text: whole,
    tokens: counter.count(whole),
    model: choice.model,
    usage,
    costUsd: costOf(choice, usage),
    loss: toLoss(report, job.messages),
    links: linkSources(whole, job.messages),
  };
}

/** Prose and ledger as they stand inside a frame. */
function withLedger({ kind, text, ledger }: SummaryOutcome, covers: number): string {
  return parseFrame(frame({ kind, text, ledger, covers }))?.text ?? text;
}

function toLoss(report: CoreLoss, messages: readonly Message[]): LossReport {
  return {
    checked: report.kept + report.repaired + report.lost,
    kept: report.kept,
    repaired: report.repaired,
    lost: report.lostFacts.map(({ kind, text: value, message }) => ({
      kind,
      value,
      messageId: messages[message]?.id ?? null,
    })),
  };
}

function promptOf({ settings, instructions }: SummaryJob): Omit<SummaryPromptOptions, "counter" | "maxTokens"> {
  const { summaryTemplate, summaryPrompt: own, summaryStyle } = settings;
  return {
    ...(summaryTemplate === "custom" ? (own === null ? {} : { prompt: own }) : { template: summaryTemplate }),
    ...(summaryStyle === "balanced" ? {} : { style: summaryStyle }),
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** How much a summarizer can read at once; the built-in one reads anything, but in pieces it does not hold others up. */
function readableTokens(choice: SummarizerChoice, maxTokens: number): number {
  if (choice.model === null) return builtInInput;
  const { window } = resolveModel(choice.model);
  return Math.max(1000, Math.min(largestInput, Math.floor(window * 0.9) - maxTokens - promptTokens));
}

/** What the frame around the text costs. */
function frameTokens({ counter, covers }: SummaryJob): number {
  return counter.countMessage({
    role: "system",
    parts: [{ type: "text", text: frame({ kind: "summary", text: "", covers }) }],
  });
}

function addUsage(a: WrittenSummary["usage"], b: SummaryResult["usage"]): WrittenSummary["usage"] {
  if (b === undefined) return a;
  return {
    inputTokens: (a?.inputTokens ?? 0) + b.inputTokens,
    outputTokens: (a?.outputTokens ?? 0) + b.outputTokens,
  };
}

function costOf(choice: SummarizerChoice, usage: WrittenSummary["usage"]): number | null {
  if (choice.model === null) return 0;
  if (usage === null) return null;
  return priceOf(choice.model, usage.inputTokens, usage.outputTokens);
}

/** US dollars; null when a price is not known. */
export function priceOf(model: string, inputTokens: number, outputTokens: number): number | null {
  const { prices } = resolveModel(model);
  if (prices.input === undefined || prices.output === undefined) return null;
  return (inputTokens * prices.input + outputTokens * prices.output) / 1_000_000;
}
