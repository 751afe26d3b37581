import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { getEncoding, loadEncoding } from "../encoding/get-encoding.ts";
import { scaleCount } from "../families/scale-count.ts";
import { overEstimate } from "../over-estimate.ts";
import type { CountAnswer, CountQuestion } from "./count-worker.node.ts";
import type { CountedText, CountRule, TextCounts } from "./text-counts.ts";

export interface TokenPoolOptions {
  readonly threads?: number;
  /** Shorter texts are counted at once, on the calling thread. */
  readonly minLength?: number;
  /** How long a text may wait and be counted before an over-estimate stands in for it. */
  readonly deadlineMs?: number;
  /** How many texts may wait; those beyond get an over-estimate at once. */
  readonly maxQueued?: number;
  /** A thread without work this long is ended. */
  readonly idleMs?: number;
}

interface Job {
  readonly id: number;
  readonly text: string;
  readonly rule: CountRule;
  readonly settle: (result: CountedText) => void;
}

interface Thread {
  readonly worker: Worker;
  /** Set to the number of the job that need not be finished. */
  readonly cancelled: Int32Array;
  readonly known: Set<string>;
  job: Job | undefined;
  /** Set while it has no work. */
  ending: NodeJS.Timeout | undefined;
}

/**
 * Counts long texts on a few worker threads that all read one copy of the tables. Threads start with the first long
 * text, keep no process alive, and one that dies is replaced; its text gets an over-estimate.
 */
export class TokenPool implements TextCounts {
  readonly #maxThreads: number;
  readonly #minLength: number;
  readonly #deadlineMs: number;
  readonly #maxQueued: number;
  readonly #idleMs: number;
  readonly #threads: Thread[] = [];
  readonly #queue: Job[] = [];
  #nextId = 1;
  #closed = false;

  constructor(options: TokenPoolOptions = {}) {
    this.#maxThreads = Math.max(1, options.threads ?? Math.min(2, availableParallelism() - 1));
    this.#minLength = options.minLength ?? 131_072;
    this.#deadlineMs = options.deadlineMs ?? 2000;
    this.#maxQueued = options.maxQueued ?? 256;
    this.#idleMs = options.idleMs ?? 20_000;
  }

  async count(text: string, rule: CountRule, signal?: AbortSignal): Promise<CountedText> {
    await loadEncoding(rule.encoding);
    if (text.length < this.#minLength) return { tokens: countHere(text, rule), estimated: false };
    if (this.#closed || signal?.aborted === true || this.#queue.length >= this.#maxQueued) return giveUp(text, rule);
    return new Promise((resolve) => {
      const id = this.#nextId++;
      const stop = () => this.#cancel(id);
      const timer = setTimeout(stop, this.#deadlineMs);
      signal?.addEventListener("abort", stop, { once: true });
      const settle = (result: CountedText) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
        resolve(result);
      };
      this.#queue.push({ id, text, rule, settle });
      this.#dispatch();
    });
  }

  /** Ends the threads; what is still being counted gets an over-estimate. */
  async close(): Promise<void> {
    this.#closed = true;
    const waiting = this.#queue.splice(0);
    for (const job of waiting) job.settle(giveUp(job.text, job.rule));
    await Promise.all(this.#threads.splice(0).map((thread) => this.#end(thread)));
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const thread = this.#threads.find((candidate) => candidate.job === undefined) ?? this.#start();
      if (thread === undefined) return;
      const job = this.#queue.shift()!;
      thread.job = job;
      clearTimeout(thread.ending);
      const { encoding } = job.rule;
      const question: CountQuestion = { id: job.id, text: job.text, rule: job.rule };
      if (thread.known.has(encoding)) thread.worker.postMessage(question);
      else {
        thread.known.add(encoding);
        thread.worker.postMessage({ ...question, vocabulary: getEncoding(encoding).vocabulary });
      }
    }
  }

  #start(): Thread | undefined {
    if (this.#threads.length >= this.#maxThreads) return undefined;
    const cancelled = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(new URL("./count-worker.node.ts", import.meta.url), { workerData: cancelled });
    const thread: Thread = { worker, cancelled, known: new Set(), job: undefined, ending: undefined };
    worker.on("message", (answer: CountAnswer) => this.#answer(thread, answer));
    worker.on("error", () => this.#lose(thread));
    worker.on("exit", () => this.#lose(thread));
    worker.unref();
    this.#threads.push(thread);
    return thread;
  }

  #answer(thread: Thread, answer: CountAnswer): void {
    const { job } = thread;
    thread.job = undefined;
    if (job !== undefined && answer.tokens !== undefined) job.settle({ tokens: answer.tokens, estimated: false });
    this.#dispatch();
    if (thread.job === undefined) thread.ending = setTimeout(() => void this.#end(thread), this.#idleMs).unref();
  }

  #cancel(id: number): void {
    const waiting = this.#queue.findIndex((job) => job.id === id);
    const thread = this.#threads.find((candidate) => candidate.job?.id === id);
    const job = waiting >= 0 ? this.#queue.splice(waiting, 1)[0] : thread?.job;
    if (thread !== undefined) Atomics.store(thread.cancelled, 0, id);
    if (job !== undefined) job.settle(giveUp(job.text, job.rule));
  }

  #lose(thread: Thread): void {
    clearTimeout(thread.ending);
    const at = this.#threads.indexOf(thread);
    if (at >= 0) this.#threads.splice(at, 1);
    const { job } = thread;
    thread.job = undefined;
    if (job !== undefined) job.settle(giveUp(job.text, job.rule));
    if (!this.#closed) this.#dispatch();
  }

  async #end(thread: Thread): Promise<void> {
    this.#lose(thread);
    await thread.worker.terminate();
  }
}

function countHere(text: string, rule: CountRule): number {
  const tokens = getEncoding(rule.encoding).count(text);
  return rule.text === undefined ? tokens : scaleCount(text, tokens, rule.text);
}

function giveUp(text: string, rule: CountRule): CountedText {
  return { tokens: overEstimate(text, rule.text), estimated: true };
}
