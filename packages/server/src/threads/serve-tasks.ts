import { parentPort, workerData } from "node:worker_threads";
import type { Summarizer, SummaryRequest, SummaryResult } from "@midfold/core";
import { type TokenTables, useTokenTables } from "@midfold/core/pool";
import { type Ask, describeFailure, type FromThread, type Tasks, type ToThread, toError } from "./thread-pool.ts";

/** The thread's side of `createThreadPool`: takes one task after the other. */
export function serveTasks(tasks: Tasks): void {
  const port = parentPort;
  if (workerData !== null) useTokenTables(workerData as TokenTables);
  const asked = new Map<number, { resolve: (result: unknown) => void; reject: (error: unknown) => void }>();
  let lastId = 0;
  const tell = (message: FromThread) => port?.postMessage(message);
  const ask: Ask = (name, argument) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      asked.set(id, { resolve, reject });
      tell({ call: name, id, argument });
    });
  const work = async (name: string, input: unknown): Promise<void> => {
    try {
      tell({ done: true, result: await tasks[name]?.(input as never, ask) });
    } catch (error) {
      tell({ done: true, failure: describeFailure(error) });
    }
  };
  port?.on("message", (message: ToThread) => {
    if (!("answered" in message)) return void work(message.task, message.input);
    const waiting = asked.get(message.answered);
    asked.delete(message.answered);
    if (message.failure === undefined) waiting?.resolve(message.result);
    else waiting?.reject(toError(message.failure));
  });
}

/** The model is asked by the thread that has its key. */
export function summarizerBy(ask: Ask): Summarizer {
  return {
    name: "model",
    summarize: async ({ messages: _, ...request }: SummaryRequest) =>
      (await ask("summarize", request)) as SummaryResult,
  };
}
