import { Worker } from "node:worker_threads";
import { type ErrorCode, type Message, MidfoldError, type TokenCounter } from "@midfold/core";
import { CalibratedCounter } from "@midfold/core/tokens";
import { type Inspection, inspectSummary } from "./inspect-summary.ts";
import type { Prose, ProseJob } from "./write-prose.ts";

/** How a thread counts: by the rule of this model, corrected by this ratio. */
export interface CountingRule {
  readonly countAs: string;
  readonly ratio: number;
}

interface Asked {
  readonly id: number;
  readonly counting: CountingRule;
}
export type SummaryQuestion =
  | (Asked & { readonly task: "write"; readonly job: ProseJob })
  | (Asked & {
      readonly task: "inspect";
      readonly text: string;
      readonly messages: readonly Message[];
      readonly repaired: number;
    });

export interface SummaryAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly progress?: { readonly share: number; readonly text: string };
  readonly failure?: { readonly code: ErrorCode; readonly message: string; readonly details: Record<string, unknown> };
}

/** Omits from each member of a union. */
type Question = SummaryQuestion extends infer TOne ? (TOne extends SummaryQuestion ? Omit<TOne, "id"> : never) : never;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((share: number, text: string) => void) | undefined;
}

/** Summarises and inspects long histories beside the event loop, so that other people's requests are answered meanwhile. */
export interface SummaryThread {
  write(
    job: ProseJob,
    counting: CountingRule,
    options: { readonly signal: AbortSignal; readonly onProgress: (share: number, text: string) => void },
  ): Promise<Prose>;
  inspect(
    text: string,
    messages: readonly Message[],
    repaired: number,
    counting: CountingRule,
    counter: TokenCounter,
  ): Promise<Inspection>;
}

/** Shorter histories are inspected in less time than it takes to hand them over. */
const shortChars = 60_000;

/** One thread, started with the first long history; it keeps no process alive, and one that dies is replaced. */
export function createSummaryThread(): SummaryThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;

  const start = (): Worker => {
    const started = new Worker(new URL("./summary-worker.ts", import.meta.url));
    const lose = (error: unknown) => {
      if (worker === started) worker = undefined;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    started.on("message", (answer: SummaryAnswer) => {
      const asker = waiting.get(answer.id);
      if (answer.progress !== undefined) return asker?.onProgress?.(answer.progress.share, answer.progress.text);
      waiting.delete(answer.id);
      // Only while somebody waits may the thread keep the process alive.
      if (waiting.size === 0) started.unref();
      if (answer.failure === undefined) return asker?.resolve(answer.result);
      const { code, message, details } = answer.failure;
      asker?.reject(new MidfoldError(code, message, { details }));
    });
    started.on("error", lose);
    started.on("exit", () => lose(new MidfoldError("INTERNAL", "The thread that writes summaries ended.")));
    started.unref();
    return started;
  };

  const ask = <TResult>(
    question: Question,
    signal?: AbortSignal,
    onProgress?: Waiting["onProgress"],
  ): Promise<TResult> =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      const leave = () => {
        waiting.delete(id);
        reject(signal?.reason);
      };
      if (signal?.aborted === true) return leave();
      signal?.addEventListener("abort", leave, { once: true });
      const settled = () => signal?.removeEventListener("abort", leave);
      waiting.set(id, {
        resolve: (result) => {
          settled();
          resolve(result as TResult);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
        onProgress,
      });
      worker ??= start();
      worker.ref();
      worker.postMessage({ id, ...question });
    });

  return {
    write: (job, counting, { signal, onProgress }) => ask({ task: "write", job, counting }, signal, onProgress),
    async inspect(text, messages, repaired, counting, counter) {
      if (sizeOf(messages) < shortChars) return inspectSummary(text, messages, repaired, counter);
      return ask({ task: "inspect", text, messages, repaired, counting });
    },
  };
}

/** The rule a counter follows, for a thread that has to make its own. */
export function countingRule(counter: TokenCounter, countAs: string): CountingRule {
  return { countAs, ratio: counter instanceof CalibratedCounter ? counter.ratio : 1 };
}

export function isShort(messages: readonly Message[]): boolean {
  return sizeOf(messages) < shortChars;
}

function sizeOf(messages: readonly Message[]): number {
  let size = 0;
  for (const { parts } of messages) {
    for (const part of parts) size += part.type === "text" || part.type === "reasoning" ? part.text.length : 500;
  }
  return size;
}
