/** Runs in a thread of its own: the parts of a summary that only compute. See `summary-thread.ts`. */
import { parentPort } from "node:worker_threads";
import { getCounter, isMidfoldError, type TokenCounter } from "@midfold/core";
import { CalibratedCounter } from "@midfold/core/tokens";
import { builtInSummarizer } from "./choose-summarizer.ts";
import { inspectSummary } from "./inspect-summary.ts";
import type { CountingRule, SummaryAnswer, SummaryQuestion } from "./summary-thread.ts";
import { writeProse } from "./write-prose.ts";

const port = parentPort;

port?.on("message", (question: SummaryQuestion) => {
  void answer(question).then(
    (result) => port.postMessage({ id: question.id, result } satisfies SummaryAnswer),
    (error: unknown) => port.postMessage({ id: question.id, failure: describe(error) } satisfies SummaryAnswer),
  );
});

async function answer(question: SummaryQuestion): Promise<unknown> {
  const counter = counterOf(question.counting);
  if (question.task === "inspect") {
    return inspectSummary(question.text, question.messages, question.repaired, counter);
  }
  return writeProse(question.job, {
    choice: builtInSummarizer(counter, "built in"),
    counter,
    onProgress: (share, text) =>
      port?.postMessage({ id: question.id, progress: { share, text } } satisfies SummaryAnswer),
    signal: new AbortController().signal,
    sleep: async () => undefined,
    now: Date.now,
  });
}

function counterOf({ countAs, ratio }: CountingRule): TokenCounter {
  const counter = getCounter(countAs);
  return ratio === 1 ? counter : new CalibratedCounter(counter, { calibration: { ratio, error: 0, samples: 1 } });
}

/** Errors lose their class on the way between threads. */
function describe(error: unknown): NonNullable<SummaryAnswer["failure"]> {
  if (isMidfoldError(error)) return { code: error.code, message: error.message, details: { ...error.details } };
  return { code: "INTERNAL", message: error instanceof Error ? error.message : String(error), details: {} };
}
