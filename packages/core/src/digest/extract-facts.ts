import type { Message } from "../message/message.ts";
import type { Fact } from "./fact.ts";
import { findFacts } from "./find-facts.ts";
import { oneLine } from "./lines.ts";
import { findRules } from "./rules.ts";
import { sourcesOf } from "./sources.ts";
import { failureLine } from "./state.ts";

const contextChars = 24;

/**
 * What must not be lost in a stretch of conversation: rules of the user, paths, identifiers, numbers, dates, addresses
 * and names, each once, in order of appearance. Linear in the length of the text.
 */
export function extractFacts(messages: readonly Message[]): Fact[] {
  const { sources } = sourcesOf(messages);
  const facts: Fact[] = [];
  for (const { text, message } of findRules(sources, [])) {
    facts.push({ kind: "constraint", text, context: text, message, last: message, by: "user", count: 1, weight: 1 });
  }
  for (const fact of findFacts(sources, messages.length).facts) {
    if (fact.kind === "value") continue;
    const { text, kind, by, first, last, count, use, start, end } = fact;
    const context = oneLine(sources[fact.source]!.text.slice(Math.max(0, start - contextChars), end));
    facts.push({ kind, text, context, message: first, last, by, count, weight: use });
  }
  for (const source of sources) {
    const text = source.kind === "result" ? failureLine(source) : undefined;
    if (text === undefined) continue;
    const { message } = source;
    facts.push({ kind: "error", text, context: text, message, last: message, by: "tool", count: 1, weight: 0.1 });
  }
  return facts;
}
