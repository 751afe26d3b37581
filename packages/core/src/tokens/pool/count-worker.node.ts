import { parentPort, workerData } from "node:worker_threads";
import { adoptVocabulary, getEncoding } from "../encoding/get-encoding.ts";
import type { Vocabulary } from "../encoding/vocabulary.ts";
import { scaleCount } from "../families/scale-count.ts";
import type { CountRule } from "./text-counts.ts";

export interface CountQuestion {
  readonly id: number;
  readonly text: string;
  readonly rule: CountRule;
  /** With the first question about an encoding: its tables, in memory all threads share. */
  readonly vocabulary?: Vocabulary;
}

export interface CountAnswer {
  readonly id: number;
  /** Absent where the question was withdrawn. */
  readonly tokens?: number;
}

const cancelled = workerData as Int32Array;

parentPort?.on("message", (question: CountQuestion) => {
  const { id, rule, vocabulary } = question;
  if (vocabulary !== undefined) adoptVocabulary(rule.encoding, vocabulary);
  const tokens = countAll(question);
  const answer: CountAnswer = tokens === undefined ? { id } : { id, tokens };
  parentPort?.postMessage(answer);
});

function countAll({ id, text, rule }: CountQuestion): number | undefined {
  const encoding = getEncoding(rule.encoding);
  let tokens = 0;
  for (let from = 0; from < text.length; ) {
    if (Atomics.load(cancelled, 0) === id) return undefined;
    const part = encoding.countPart(text, from);
    tokens += part.tokens;
    from = part.to;
  }
  return rule.text === undefined ? tokens : scaleCount(text, tokens, rule.text);
}
