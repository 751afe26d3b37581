/** Runs in a thread of its own: one task at a time. See `aside.ts`. */
import { parentPort } from "node:worker_threads";
import { describeFailure, type FromThread, type ToThread, toError } from "./aside.ts";
import { tasks } from "./tasks.ts";

const port = parentPort;
const asked = new Map<number, { resolve: (result: unknown) => void; reject: (error: unknown) => void }>();
let lastId = 0;

const tell = (message: FromThread) => port?.postMessage(message);

/** Asks the thread that gave the task. */
const call = (name: string, argument: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const id = ++lastId;
    asked.set(id, { resolve, reject });
    tell({ call: name, id, argument });
  });

port?.on("message", (message: ToThread) => {
  if ("answered" in message) {
    const waiting = asked.get(message.answered);
    asked.delete(message.answered);
    if (message.failure === undefined) waiting?.resolve(message.result);
    else waiting?.reject(toError(message.failure));
    return;
  }
  void work(message.task, message.input);
});

async function work(name: keyof typeof tasks, input: unknown): Promise<void> {
  try {
    const task = tasks[name] as (input: unknown, ask: typeof call) => Promise<unknown>;
    tell({ done: true, result: await task(input, call) });
  } catch (error) {
    tell({ done: true, failure: describeFailure(error) });
  }
}
