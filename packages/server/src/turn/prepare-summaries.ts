import { type FoldCache, fold, type ModelPrices, type Summarizer } from "@midfold/core";
import { parseTrigger } from "@midfold/core/budget";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { pause, readableTokens, summarizeThrough } from "../folds/summarize-through.ts";
import type { RequestRecord } from "../requests/request-record.ts";
import type { Gateway } from "./gateway.ts";
import type { Turn } from "./turn.ts";

/** Share of the fold's threshold from which its summary is written in advance. */
const softShare = 0.8;
/** Failures in a row after which a conversation gets digests only. */
const maxFailures = 3;
const maxRemembered = 5_000;

export interface SummaryPreparer {
  /** Starts writing a summary when this conversation will soon need one; returns at once. */
  prepare(turn: Turn, record: RequestRecord): void;
  /** Resolves when nothing is being written any more. */
  idle(): Promise<void>;
  /** Ends what is running. */
  stop(): void;
}

/**
 * Model-written summaries, made in the background while the conversation still fits, so that no request waits for one:
 * when the fold is due, its record is already in the cache. If it is not, a digest is used.
 */
export function createSummaryPreparer(gateway: () => Gateway, log: Logger): SummaryPreparer {
  const running = new Map<string, Promise<void>>();
  const failures = new LRUCache<string, number>({ max: maxRemembered });
  const stopping = new AbortController();

  const write = async (turn: Turn, record: RequestRecord, name: string) => {
    try {
      const made = await writeSummary(gateway(), turn, record, stopping.signal);
      failures.delete(name);
      if (made) log.info({ id: record.id, conversation: record.conversationId }, "summary prepared");
    } catch (err) {
      if (stopping.signal.aborted) return;
      failures.set(name, (failures.get(name) ?? 0) + 1);
      log.warn({ id: record.id, err }, "no summary could be prepared; a digest is used instead");
    } finally {
      running.delete(name);
    }
  };
  return {
    prepare: (turn, record) => {
      if (turn.destination.compact === undefined || !isDueSoon(turn, record) || stopping.signal.aborted) return;
      const name = `${record.tenant}\n${record.conversationId ?? record.id}`;
      if (running.has(name) || (failures.get(name) ?? 0) >= maxFailures) return;
      running.set(name, write(turn, record, name));
    },
    idle: async () => {
      await Promise.allSettled(running.values());
    },
    stop: () => stopping.abort(),
  };
}

function isDueSoon({ destination }: Turn, record: RequestRecord): boolean {
  // A digest was needed before a summary was ready, so the next fold gets one.
  if (record.outcome === "folded" && record.foldBy === "digest") return true;
  if (record.outcome !== "fits" && record.outcome !== "clipped" && record.outcome !== "reused") return false;
  const { trigger } = destination.preset;
  const due = Math.min(
    record.budget,
    trigger === undefined ? record.budget : (parseTrigger(trigger, record.window).tokens ?? record.budget),
  );
  return record.tokensAfter >= due * softShare;
}

/** Folds the conversation as if it were due, with a model-written summary, and keeps the record for when it is. */
async function writeSummary(
  gateway: Gateway,
  turn: Turn,
  record: RequestRecord,
  signal: AbortSignal,
): Promise<boolean> {
  const { protocol, body, destination, identity } = turn;
  const compact = destination.compact;
  if (compact === undefined) return false;
  const writer =
    compact.model === undefined ? destination : await gateway.locate(identity.tenant, compact.model, protocol);
  const counter = gateway.counterFor(destination.countAs, identity);
  const result = await fold(protocol.body.messagesOf(body.value), {
    model: destination.countAs,
    format: protocol.format.name,
    window: record.window,
    budget: record.budget,
    preset: { ...destination.preset, replace: "summary" },
    system: protocol.body.systemOf(body.value),
    tools: protocol.body.toolsOf(body.value),
    toolChoice: protocol.body.toolChoiceOf(body.value),
    counter,
    force: true,
    cache: onlySummaries(gateway.foldsOf(identity.tenant)),
    summarizer: chargeTo(record, writer.info.prices, summarizeThrough(writer, identity)),
    summary: {
      summaryTag: compact.summaryTag,
      inputTokens: readableTokens(writer),
      ...(compact.prompt === undefined ? {} : { prompt: compact.prompt }),
    },
    summaryPolicy: { fallback: "throw" },
    clock: { now: gateway.now, sleep: pause },
    signal,
  });
  return result.state?.by === "summary";
}

/** Adds the cost of each call to the request it was made for, so that the savings subtract it. */
function chargeTo(record: RequestRecord, { input, output }: ModelPrices, summarizer: Summarizer): Summarizer {
  return {
    ...summarizer,
    summarize: async (request, signal) => {
      const result = await summarizer.summarize(request, signal);
      record.summaries += 1;
      const { usage } = result;
      record.summaryMicros =
        record.summaryMicros === undefined || usage === undefined || input === undefined || output === undefined
          ? undefined
          : record.summaryMicros + usage.inputTokens * input + usage.outputTokens * output;
      return result;
    },
  };
}

/** Keeps what was prepared only if a model wrote it: a digest can be made at any time. */
function onlySummaries(cache: FoldCache): FoldCache {
  return {
    find: (chain) => cache.find(chain),
    save: (record, plan) => (record.by === "summary" ? cache.save(record, plan) : undefined),
  };
}
