import { coveredMessages, digest, frameMessage, type Message, type TokenCounter } from "../../src/index.ts";
import type { Conversation } from "./load-data.ts";
import { fullText } from "./strategies.ts";

export interface CascadeScore {
  readonly folds: number;
  /** Binding sentences of the user, among the folded ones, that are still there word for word. */
  readonly constraints: number;
  /** Identifiers the user gave, among the folded messages, that are still there. */
  readonly identifiers: number;
}

const binding = /\b(?:must|never|always|don't|do not|only|at least|at most|without)\b/i;
/** Narrative with the same words: nothing a later turn has to obey. */
const musing = /\b(?:don't|do not) (?:have|remember|know|see|think|need)\b|\bmust (?:have|be)\b|\bnever mind\b/i;
const identifier = /\b(?=\w*\d)(?=\w*[a-z_])\w{5,}\b|\b[A-Z0-9]{6}\b/gi;
const step = 6;

/** Several conversations one after another, six messages more at every fold, always into 600 tokens. */
export function scoreCascade(conversations: readonly Conversation[], counter: TokenCounter): CascadeScore[] {
  const talks = chains(conversations, 4);
  return [1, 2, 4, 8, 16].map((folds) => {
    let constraints = 0;
    let constraintsKept = 0;
    let identifiers = 0;
    let identifiersKept = 0;
    for (const talk of talks) {
      if (talk.length < folds * step) continue;
      let carried: Message[] = [];
      for (let fold = 0; fold < folds; fold++) {
        const messages = [...carried, ...talk.slice(fold * step, (fold + 1) * step)];
        const { text } = digest(messages, { counter, maxTokens: 600 });
        carried = [frameMessage({ kind: "digest", text, covers: coveredMessages(messages) })];
      }
      const kept = carried.map(fullText).join("\n");
      for (const message of talk.slice(0, folds * step)) {
        if (message.role !== "user") continue;
        for (const sentence of fullText(message).split(/(?<=[.!?])\s+/)) {
          if (!binding.test(sentence) || sentence.endsWith("?") || sentence.length < 15 || musing.test(sentence))
            continue;
          constraints++;
          if (kept.includes(sentence.trim())) constraintsKept++;
        }
        for (const [value] of fullText(message).matchAll(identifier)) {
          identifiers++;
          if (kept.includes(value)) identifiersKept++;
        }
      }
    }
    return {
      folds,
      constraints: constraintsKept / Math.max(1, constraints),
      identifiers: identifiersKept / Math.max(1, identifiers),
    };
  });
}

function chains(conversations: readonly Conversation[], length: number): Message[][] {
  const made: Message[][] = [];
  for (let i = 0; i + length <= conversations.length; i += length) {
    made.push(
      conversations.slice(i, i + length).flatMap(({ messages }) => messages.filter(({ role }) => role !== "system")),
    );
  }
  return made;
}
