import {
  type Format,
  fold,
  formats,
  getCounter,
  type Message,
  type Plan,
  type Preset,
  presets,
  type Summarizer,
  type TokenCounter,
  textOf,
} from "@midfold/core";
import { readTranscript, type TranscriptFormat } from "@midfold/core/formats";
import { checkAndRepair, createExtractiveSummarizer, frameOf } from "@midfold/core/summaries";
import type { PlaygroundRequest, PlaygroundResult, PlaygroundRunResult } from "../../api/playground.ts";
import type { LossReport } from "../../api/summary.ts";
import { toProblem } from "../http/write-problem.ts";
import { toApiParts } from "../sessions/to-api-parts.ts";

type Run = PlaygroundRequest["runs"][number];

interface Pasted {
  readonly format: Format;
  readonly wire: readonly unknown[];
  readonly messages: readonly Message[];
  readonly system: string | undefined;
  readonly counter: TokenCounter;
}

export interface PlaygroundTools {
  /** A summarizer that asks this model, where it can be reached. */
  readonly byModel: (model: string) => Summarizer | undefined;
  readonly signal: AbortSignal;
}

/** Folds a pasted transcript in several ways, side by side. */
export async function runPlayground(
  body: PlaygroundRequest,
  { byModel, signal }: PlaygroundTools,
): Promise<PlaygroundResult> {
  const wanted = body.format === "auto" || body.format === "midfold" ? {} : { format: body.format as TranscriptFormat };
  const { dialect, messages, system, format } = readTranscript(body.transcript, wanted);
  const counter = getCounter(body.model);
  const wire = messages.map((message) => message.source ?? formats[dialect].encode(message));
  const pasted: Pasted = { format: formats[dialect], wire, messages, system, counter };
  const runs: PlaygroundRunResult[] = [];
  // One after the other: they share one thread, and each is timed.
  for (const run of body.runs) runs.push(await runOne(byModel, body, run, pasted, signal));
  const rows = messages.map((message) => ({
    role: message.role,
    text: textOf(message),
    tokens: counter.countMessage(message),
  }));
  return { format, messages: rows, tokens: counter.countMessages(messages), runs };
}

async function runOne(
  byModel: PlaygroundTools["byModel"],
  body: PlaygroundRequest,
  run: Run,
  pasted: Pasted,
  signal: AbortSignal,
): Promise<PlaygroundRunResult> {
  const base = { name: run.name ?? run.preset, preset: run.preset };
  const startedAt = performance.now();
  const duration = () => Math.round((performance.now() - startedAt) * 10) / 10;
  try {
    const summarizer = summarizerFor(byModel, run, body.model, pasted.counter);
    const result = await fold(pasted.wire, {
      model: body.model,
      format: pasted.format.name,
      preset: presetFor(run),
      counter: pasted.counter,
      force: body.force,
      signal,
      ...(pasted.system === undefined ? {} : { system: pasted.system }),
      ...(body.window === undefined ? {} : { window: body.window }),
      ...(body.budget === undefined ? {} : { budget: body.budget }),
      ...(run.target === undefined ? {} : { target: run.target }),
      ...(summarizer === undefined ? {} : { summarizer }),
    });
    const { before, after, budget, target, window, exact } = result.tokens;
    const messages = pasted.format.decode(result.messages);
    return {
      ...base,
      outcome: result.outcome,
      error: null,
      tokens: { before, after, budget, target, window, exact },
      plan: toApiPlan(result.plan),
      messages: describe(pasted, messages),
      loss: lossOf(pasted, messages),
      warnings: result.warnings.map(({ code, message }) => ({ code, message })),
      durationMs: duration(),
    };
  } catch (error) {
    signal.throwIfAborted();
    const problem = toProblem(error);
    const nothing = { tokens: null, plan: null, messages: [], loss: null, warnings: [] };
    return { ...base, outcome: "failed", error: problem, ...nothing, durationMs: duration() };
  }
}

function toApiPlan(plan: Plan): PlaygroundRunResult["plan"] {
  const atoms = plan.atoms.map(({ kind, first, last, tokens, pinned }, i) => {
    return { kind, first, last, tokens, pinned, decision: plan.decisions[i]?.do ?? ("keep" as const) };
  });
  return { atoms, reasons: plan.reasons.map((reason) => ({ ...reason })) };
}

function presetFor({ preset, headMessages, tailMessages, retentionTokens }: Run): Preset {
  const base = presets[preset];
  return {
    ...base,
    ...(headMessages === undefined ? {} : { head: { messages: headMessages, firm: true } }),
    ...(tailMessages === undefined && retentionTokens === undefined
      ? {}
      : {
          tail: {
            ...(tailMessages === undefined ? {} : { messages: tailMessages, firm: true }),
            ...(retentionTokens === undefined ? {} : { tokens: retentionTokens }),
          },
        }),
  };
}

function summarizerFor(
  byModel: PlaygroundTools["byModel"],
  run: Run,
  model: string,
  counter: TokenCounter,
): Summarizer | undefined {
  if (run.summarizer === "none") return undefined;
  return (run.summarizer === "model" ? byModel(model) : undefined) ?? createExtractiveSummarizer(counter);
}

/** Where each outgoing message came from: kept ones are the same objects as the input, frames are new. */
function describe({ wire, counter }: Pasted, after: readonly Message[]): PlaygroundRunResult["messages"] {
  const places = new Map(wire.map((entry, index) => [entry, index]));
  return after.map((message) => {
    const index = places.get(message.source) ?? null;
    return {
      role: message.role,
      parts: toApiParts(message.parts),
      text: textOf(message),
      tokens: counter.countMessage(message),
      origin: index !== null ? "kept" : frameOf(message) !== undefined ? "inserted" : "changed",
      index,
    };
  });
}

/** Facts of the whole transcript that the folded one no longer contains. */
function lossOf({ messages, counter }: Pasted, after: readonly Message[]): LossReport {
  const said = after
    .flatMap((message) => message.parts)
    .map((part) => (part.type === "text" ? part.text : JSON.stringify(part)))
    .join("\n");
  const { report } = checkAndRepair(said, messages, { counter, ledgerTokens: 0 });
  return {
    checked: report.kept + report.repaired + report.lost,
    kept: report.kept,
    repaired: report.repaired,
    lost: report.lostFacts.map(({ kind, text, message }) => ({ kind, value: text, messageId: String(message) })),
  };
}
