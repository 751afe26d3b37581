import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { type ErrorCode, MidfoldError } from "@midfold/core";
import { type TokenTables, tokenTables } from "@midfold/core/pool";

/** What a thread can do, by name. A task may call the thread that started it, by name. */
export type Tasks = Readonly<Record<string, (input: never, ask: Ask) => Promise<unknown>>>;
export type Ask = (name: string, argument: unknown) => Promise<unknown>;

/** What a task may ask of the thread that started it: stored folds, a summary by a model. */
export type Calls = Readonly<Record<string, (argument: never) => unknown>>;

/** Errors lose their class between threads. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Record<string, unknown>;
}

export type ToThread =
  | { readonly task: string; readonly input: unknown }
  | { readonly answered: number; readonly result?: unknown; readonly failure?: Failure };
export type FromThread =
  | { readonly call: string; readonly id: number; readonly argument: unknown }
  | { readonly done: true; readonly result?: unknown; readonly failure?: Failure };

/** Work on long conversations in threads, so that the event loop answers others meanwhile. */
export interface ThreadPool<TTasks extends Tasks> {
  /** Ends with OVERLOADED when it takes too long or too many wait, BODY_TOO_LARGE when it needs too much memory. */
  run<TName extends keyof TTasks & string>(
    name: TName,
    input: Parameters<TTasks[TName]>[0],
    options: { readonly signal: AbortSignal; readonly calls?: Calls },
  ): Promise<Awaited<ReturnType<TTasks[TName]>>>;
  close(): Promise<void>;
}

export interface ThreadPoolOptions {
  readonly threads?: number;
  /** For one task, including the time it waits for answers to its calls. */
  readonly maxMs?: number;
  readonly maxMegabytes?: number;
  readonly maxWaiting?: number;
  /** A thread without work for this long is ended: its caches are only worth their memory while used. */
  readonly idleMs?: number;
}

interface Job {
  readonly name: string;
  readonly input: unknown;
  readonly calls: Calls;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  idle: NodeJS.Timeout | undefined;
}

/**
 * Threads that run the module at `worker`, which calls `serveTasks`. One task at a time per thread, and always one core
 * left for the event loop.
 */
export function createThreadPool<TTasks extends Tasks>(
  worker: URL,
  options: ThreadPoolOptions = {},
): ThreadPool<TTasks> {
  const most = options.threads ?? Math.max(1, Math.min(4, availableParallelism() - 1));
  const { maxMs = 120_000, maxMegabytes = 1_024, maxWaiting = 32, idleMs = 20_000 } = options;
  const threads = new Set<Thread>();
  const waiting: Job[] = [];
  let closed = false;

  const end = (thread: Thread, error?: unknown) => {
    threads.delete(thread);
    clearTimeout(thread.idle);
    const { job } = thread;
    thread.job = undefined;
    job?.reject(error);
    void thread.worker.terminate();
    next();
  };
  const start = (): Thread => {
    const started = new Worker(worker, {
      name: "midfold-thread",
      workerData: tokenTables() satisfies TokenTables,
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes, maxYoungGenerationSizeMb: 12 },
    });
    const thread: Thread = { worker: started, job: undefined, idle: undefined };
    started.unref();
    started.on("message", (message: FromThread) => {
      if ("call" in message) void answer(thread, message);
      else settle(thread, message);
    });
    started.on("error", (error: NodeJS.ErrnoException) => {
      end(thread, error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooLarge(maxMegabytes) : error);
    });
    started.on("exit", () => {
      if (threads.has(thread)) end(thread, new MidfoldError("INTERNAL", "A thread ended without an answer."));
    });
    threads.add(thread);
    return thread;
  };
  const settle = (thread: Thread, { result, failure }: Extract<FromThread, { done: true }>) => {
    const { job } = thread;
    thread.job = undefined;
    thread.worker.unref();
    thread.idle = setTimeout(() => end(thread), idleMs).unref();
    if (failure === undefined) job?.resolve(result);
    else job?.reject(toError(failure));
    next();
  };
  const next = () => {
    if (closed) return;
    const free = [...threads].find(({ job }) => job === undefined) ?? (threads.size < most ? undefined : null);
    if (free === null || waiting.length === 0) return;
    const job = waiting.shift() as Job;
    const thread = free ?? start();
    clearTimeout(thread.idle);
    thread.job = job;
    thread.worker.ref();
    thread.worker.postMessage({ task: job.name, input: job.input } satisfies ToThread);
  };
  const answer = async (thread: Thread, { call, id, argument }: Extract<FromThread, { call: string }>) => {
    const reply = (message: ToThread) => thread.worker.postMessage(message);
    try {
      const result = await (thread.job?.calls[call] as ((argument: unknown) => unknown) | undefined)?.(argument);
      reply({ answered: id, result });
    } catch (error) {
      reply({ answered: id, failure: describeFailure(error) });
    }
  };

  return {
    run: (name, input, { signal, calls = {} }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (waiting.length >= maxWaiting || closed) return reject(overloaded("Too many long conversations wait."));
        const leave = (error: unknown) => {
          const at = waiting.indexOf(job);
          if (at !== -1) {
            waiting.splice(at, 1);
            return job.reject(error);
          }
          // A computing thread receives no messages, so an abandoned task is ended together with its thread.
          for (const thread of threads) if (thread.job === job) end(thread, error);
        };
        const onAbort = () => leave(signal.reason);
        const late = setTimeout(() => leave(overloaded(`Folding took longer than ${maxMs / 1000} seconds.`)), maxMs);
        const settled = () => {
          clearTimeout(late);
          signal.removeEventListener("abort", onAbort);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        const job: Job = {
          name,
          input,
          calls,
          resolve: (result) => {
            settled();
            resolve(result as never);
          },
          reject: (error) => {
            settled();
            reject(error);
          },
        };
        waiting.push(job);
        next();
      }),
    close: async () => {
      closed = true;
      for (const job of waiting.splice(0)) job.reject(overloaded("The server is shutting down."));
      await Promise.all(
        [...threads].map((thread) => {
          threads.delete(thread);
          clearTimeout(thread.idle);
          thread.job?.reject(overloaded("The server is shutting down."));
          return thread.worker.terminate();
        }),
      );
    },
  };
}

/** An error as it can be sent to another thread. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof MidfoldError) {
    return { code: error.code, message: error.message, details: JSON.parse(JSON.stringify(error.details)) };
  }
  return { code: "INTERNAL", message: error instanceof Error ? error.message : String(error), details: {} };
}

/** The error that was described on the other side. */
export function toError({ code, message, details }: Failure): MidfoldError {
  return new MidfoldError(code, message, { details });
}

function overloaded(message: string): MidfoldError {
  return new MidfoldError("OVERLOADED", message, { details: { retryAfterSeconds: 5 } });
}

function tooLarge(megabytes: number): MidfoldError {
  return new MidfoldError("BODY_TOO_LARGE", `Folding this conversation needs more than ${megabytes} MB of memory.`);
}
