import type { Message, TokenCounter } from "../../src/index.ts";
import type { Conversation } from "./load-data.ts";
import { fullText, type Strategy } from "./strategies.ts";

export interface ReferenceScore {
  /** Needed values that are still there. */
  readonly present: number;
  /** Needed values that are still there with 20 characters of what stood before or after them. */
  readonly inContext: number;
  /** Present, among those that the last messages alone would have lost. */
  readonly hard: number;
  readonly needs: number;
  readonly over: number;
}

const horizon = 30;
const contextChars = 20;

/**
 * Evaluation (ii): an agent's history is folded at 40, 60 and 80 % of its length; whatever value its next thirty
 * messages pass to a tool, and that only the folded part could have told it, is a need. Values are JSON leaves of the
 * arguments: nothing here shares a pattern with the extractor that is being measured.
 */
export function scoreReferences(
  conversations: readonly Conversation[],
  strategy: Strategy,
  hardBaseline: Strategy,
  ratio: number,
  counter: TokenCounter,
): ReferenceScore {
  let present = 0;
  let inContext = 0;
  let hard = 0;
  let hardNeeds = 0;
  let needs = 0;
  let over = 0;
  for (const { messages } of conversations) {
    const system = messages
      .filter((message) => message.role === "system")
      .map(fullText)
      .join("\n");
    const talk = messages.filter((message) => message.role !== "system");
    for (const share of [0.4, 0.6, 0.8]) {
      const cut = Math.floor(talk.length * share);
      const prefix = talk.slice(0, cut);
      const needed = needsAfter(talk, cut, system);
      if (needed.length === 0) continue;
      const weights = prefix.map((message) => counter.countMessage(message));
      const budget = Math.floor(weights.reduce((sum, weight) => sum + weight, 0) / ratio);
      const kept = strategy({ messages: prefix, weights, budget, counter });
      const window = hardBaseline({ messages: prefix, weights, budget, counter }).text;
      if (kept.tokens > budget) over++;
      const text = flat(kept.text);
      for (const need of needed) {
        needs++;
        const found = text.includes(need.value);
        if (found) present++;
        if (need.contexts.some((context) => text.includes(context))) inContext++;
        if (flat(window).includes(need.value)) continue;
        hardNeeds++;
        if (found) hard++;
      }
    }
  }
  return {
    present: present / Math.max(1, needs),
    inContext: inContext / Math.max(1, needs),
    hard: hard / Math.max(1, hardNeeds),
    needs,
    over,
  };
}

interface Need {
  readonly value: string;
  readonly contexts: readonly string[];
}

function needsAfter(talk: readonly Message[], cut: number, system: string): Need[] {
  const prefix = flat(talk.slice(0, cut).map(fullText).join("\n"));
  const needs = new Map<string, Need>();
  let between = "";
  for (const message of talk.slice(cut, cut + horizon)) {
    for (const part of message.parts) {
      if (part.type !== "tool-call") continue;
      for (const value of leaves(part.input)) {
        if (needs.has(value) || system.includes(value) || between.includes(value) || !prefix.includes(value)) continue;
        needs.set(value, { value, contexts: contextsOf(prefix, value) });
      }
    }
    between += `\n${flat(fullText(message))}`;
  }
  return [...needs.values()];
}

function leaves(input: string): string[] {
  const values: string[] = [];
  const visit = (value: unknown) => {
    if (typeof value === "string" || typeof value === "number") {
      const text = flat(String(value));
      if (text.length >= 4 && text.length <= 120 && !/^[a-z ]+$/.test(text)) values.push(text);
    } else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) visit(inner);
  };
  try {
    visit(JSON.parse(input));
  } catch {
    // Free text is no argument list.
  }
  return values;
}

function contextsOf(text: string, value: string): string[] {
  const contexts: string[] = [];
  for (let at = text.indexOf(value); at !== -1 && contexts.length < 400; at = text.indexOf(value, at + value.length)) {
    if (at >= contextChars) contexts.push(text.slice(at - contextChars, at + value.length));
    const end = at + value.length + contextChars;
    if (end <= text.length) contexts.push(text.slice(at, end));
  }
  return contexts;
}

function flat(text: string): string {
  return text.replace(/\s+/g, " ");
}
