import type { SummaryRequest } from "@midfold/core";
import { createThreadPool } from "../../threads/thread-pool.ts";
import type { Handler } from "../http/handler.ts";
import type { PlaygroundTasks } from "./playground-worker.ts";
import { runPlayground } from "./run-playground.ts";

/** Shorter transcripts are folded in less time than sending them to a thread takes. */
const shortChars = 100_000;

/** Reads and folds long texts. */
export const thread = createThreadPool<PlaygroundTasks>(
  new URL(import.meta.url.endsWith(".ts") ? "./playground-worker.ts" : "./playground-worker.js", import.meta.url),
);

/** Nothing is stored. Long transcripts are folded in a thread. */
export const playground: Handler<"playground"> = async ({ chat, body, signal }) => {
  const byModel = (model: string) => chat.models.summarizer(model);
  if (body.transcript.length < shortChars) return runPlayground(body, { byModel, signal });
  const writer = byModel(body.model);
  const runs = body.runs.map((run) =>
    run.summarizer === "model" && writer === undefined ? { ...run, summarizer: "extractive" as const } : run,
  );
  const result = await thread.run(
    "run",
    { ...body, runs },
    {
      signal,
      calls: { summarize: (request: SummaryRequest) => writer?.summarize({ ...request, messages: [] }, signal) },
    },
  );
  return new Response(result, { headers: { "content-type": "application/json" } });
};
