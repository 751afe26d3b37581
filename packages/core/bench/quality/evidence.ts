import type { TokenCounter } from "../../src/index.ts";
import { stopWords } from "../../src/text/stop-words.ts";
import { termsOf } from "../../src/text/terms-of.ts";
import type { Conversation } from "./load-data.ts";
import { fullText, type Kept, type Strategy } from "./strategies.ts";

export interface EvidenceScore {
  /** Share of questions of which every evidence turn keeps at least 70 % of its content words. */
  readonly all: number;
  /** Share of extractive questions of which 80 % of the answer's words are inside kept evidence. */
  readonly answer: number;
  /** Mean share of evidence words kept. */
  readonly share: number;
  readonly questions: number;
  readonly over: number;
}

const content = (text: string) => new Set(termsOf(text).filter((term) => !stopWords.has(term)));

/** Evaluation (i): how much of what answers the questions is still there, by the turn it came from. */
export function scoreEvidence(
  conversations: readonly Conversation[],
  strategy: Strategy,
  ratio: number,
  counter: TokenCounter,
  aware: boolean,
): EvidenceScore {
  let all = 0;
  let answered = 0;
  let answerable = 0;
  let share = 0;
  let questions = 0;
  let over = 0;
  for (const { messages, qa } of conversations) {
    const weights = messages.map((message) => counter.countMessage(message));
    const budget = Math.floor(weights.reduce((sum, weight) => sum + weight, 0) / ratio);
    const task = { messages, weights, budget, counter };
    const blind = aware ? undefined : strategy(task);
    for (const { question, answer, evidence, category } of qa) {
      if (category === 5 || evidence.length === 0) continue;
      const kept: Kept = blind ?? strategy({ ...task, question });
      if (kept.tokens > budget) over++;
      questions++;
      const shares = evidence.map((index) => keptShare(fullText(messages[index]!), kept.byMessage.get(index) ?? ""));
      share += shares.reduce((sum, one) => sum + one, 0) / shares.length;
      if (shares.every((one) => one >= 0.7)) all++;
      const wanted = content(String(answer));
      const source = content(evidence.map((index) => fullText(messages[index]!)).join("\n"));
      if (wanted.size === 0 || coverage(wanted, source) < 0.8) continue;
      answerable++;
      const left = content(evidence.map((index) => kept.byMessage.get(index) ?? "").join("\n"));
      if (coverage(wanted, left) >= 0.8) answered++;
    }
  }
  return {
    all: all / questions,
    answer: answered / Math.max(1, answerable),
    share: share / questions,
    questions,
    over,
  };
}

function keptShare(original: string, kept: string): number {
  const words = content(original);
  return words.size === 0 ? 1 : coverage(words, content(kept));
}

function coverage(wanted: ReadonlySet<string>, there: ReadonlySet<string>): number {
  let found = 0;
  for (const word of wanted) if (there.has(word)) found++;
  return found / wanted.size;
}
