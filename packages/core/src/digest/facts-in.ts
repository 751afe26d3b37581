import type { Message } from "../message/message.ts";
import type { Fact } from "./fact.ts";
import { findFacts, type ScanText } from "./find-facts.ts";
import { oneLine } from "./lines.ts";
import { failureLine } from "./outcomes.ts";
import { findRules } from "./rules.ts";
import { sourcesOf } from "./sources.ts";

const contextChars = 24;

/** The exact things that messages say, rules and errors among them. `scanText` finds more in what people say. */
export function factsIn(messages: readonly Message[], scanText?: ScanText): Fact[] {
  // Frames of earlier folds are not what was said.
  const sources = sourcesOf(messages).sources.filter(({ carried }) => !carried);
  const facts: Fact[] = [];
  for (const { text, message } of findRules(sources, [])) {
    const once = { message, last: message, by: "user", contextBy: "user", count: 1 } as const;
    facts.push({ ...once, kind: "constraint", text, context: text, weight: 1 });
  }
  for (const fact of findFacts(sources, messages.length, undefined, scanText).facts) {
    if (fact.kind === "value") continue;
    const { text, kind, by, first, last, count, use, start, end } = fact;
    const source = sources[fact.source]!;
    const context = oneLine(source.text.slice(contextStart(source.text, start), end));
    facts.push({ kind, text, context, contextBy: source.by, message: first, last, by, count, weight: use });
  }
  for (const source of sources) {
    const text = source.kind === "result" ? failureLine(source) : undefined;
    if (text === undefined) continue;
    const { message } = source;
    const once = { message, last: message, by: "tool", contextBy: "tool", count: 1 } as const;
    facts.push({ ...once, kind: "error", text, context: text, weight: 0.1 });
  }
  return facts;
}

/** Some characters before a fact, from the start of a word, since half a word reads as another one. Chinese has no spaces. */
function contextStart(text: string, fact: number): number {
  const from = Math.max(0, fact - contextChars);
  const inWord = (index: number) => /[\p{L}\p{N}_]/u.test(text[index]!);
  if (from === 0 || !inWord(from - 1)) return from;
  let at = from;
  while (at < fact && at - from < longestHalf && inWord(at)) at++;
  return inWord(at) ? from : at;
}

/** Of half a word at most so many characters are left out. */
const longestHalf = 12;
