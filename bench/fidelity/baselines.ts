import type { Contestant, Task } from "./contestants.ts";
import {
  type ChatMessage,
  contentOf,
  countMessage,
  countMessages,
  countText,
  flatText,
  type Unit,
  unitsOf,
} from "./conversation.ts";
import { contentWords } from "./evidence.ts";
import { findNeeds, referencePattern } from "./references.ts";

/** What a newcomer would write in an afternoon. A fold that keeps less than these is not worth having. */
export const baselines: readonly Contestant[] = [
  { name: "sliding window", kind: "baseline", run: async ({ messages, budget }) => newest(unitsOf(messages), budget) },
  { name: "middle-out", kind: "baseline", run: middleOut },
  { name: "masking", kind: "baseline", run: masking },
  { name: "ledger", kind: "baseline", run: ledger },
  { name: "idf density", kind: "baseline", dialogues: true, run: density },
  { name: "bm25", kind: "baseline", dialogues: true, recalls: true, run: bm25 },
  { name: "foresight", kind: "baseline", foresees: true, run: foresight },
];

const sizeOf = (unit: Unit) => countMessages(unit);

/** Whole units from the end, as many as fit. */
export function newest(units: readonly Unit[], budget: number): ChatMessage[] {
  let first = units.length;
  let spent = 0;
  while (first > 0 && spent + sizeOf(units[first - 1]!) <= budget) spent += sizeOf(units[--first]!);
  return units.slice(first).flat();
}

/** A fifth of the room for the beginning, the rest for the end. */
async function middleOut({ messages, budget }: Task): Promise<ChatMessage[]> {
  const units = unitsOf(messages);
  let head = 0;
  let spent = 0;
  while (head < units.length && spent + sizeOf(units[head]!) <= budget * 0.2) spent += sizeOf(units[head++]!);
  return [...units.slice(0, head).flat(), ...newest(units.slice(head), budget - spent)];
}

/** Older tool results replaced by a mark, as few as needed; then a window. */
async function masking({ messages, budget }: Task): Promise<ChatMessage[]> {
  const masked = [...messages];
  let size = countMessages(masked);
  for (let at = 0; at < masked.length && size > budget; at++) {
    const message = masked[at]!;
    if (message.role !== "tool") continue;
    const mark = { ...message, content: "[output left out]" };
    if (countMessage(mark) >= countMessage(message)) continue;
    size += countMessage(mark) - countMessage(message);
    masked[at] = mark;
  }
  return newest(unitsOf(masked), budget);
}

/** A window in 40 % of the room; in the rest, exact things with 22 characters of what stood before each. */
async function ledger({ messages, budget }: Task): Promise<ChatMessage[]> {
  const tail = newest(unitsOf(messages), Math.floor(budget * 0.4));
  const before = messages.slice(0, messages.length - tail.length);
  const said = tail.map(flatText).join("\n");
  interface Entry {
    score: number;
    count: number;
    last: number;
    text: string;
    spoken: boolean;
    readonly kind: number;
  }
  const entries = new Map<string, Entry>();
  const needless = new Set<string>();
  before.forEach((message, index) => {
    const text = flatText(message);
    for (const match of text.matchAll(referencePattern)) {
      const value = match[0];
      if (value.length < 3 || needless.has(value)) continue;
      const known = entries.get(value);
      if (known === undefined && said.includes(value)) {
        needless.add(value);
        continue;
      }
      const from = Math.max(0, match.index - 22);
      const entry = known ?? {
        score: 0,
        count: 0,
        last: 0,
        text: text.slice(from, match.index + value.length),
        spoken: false,
        kind: /[/@]/.test(value) || /^\d+$/.test(value) ? 1.3 : 1,
      };
      entry.count++;
      entry.last = index;
      if (message.role !== "tool") entry.spoken = true;
      entries.set(value, entry);
    }
  });
  for (const entry of entries.values()) {
    const recency = 0.5 + (0.5 * entry.last) / Math.max(1, before.length);
    entry.score = Math.log(1 + entry.count) * recency * (entry.spoken ? 2.5 : 1) * entry.kind;
  }
  return noted(
    [...entries.values()].sort((a, b) => b.score - a.score).map(({ text }) => text),
    tail,
    budget,
  );
}

/** As many lines as fit, in one user message before the tail. */
function noted(lines: readonly string[], tail: readonly ChatMessage[], budget: number): ChatMessage[] {
  const room = budget - countMessages(tail) - 8;
  const taken: string[] = [];
  let spent = 0;
  for (const line of lines) {
    const cost = countText(`${line}\n`);
    if (spent + cost > room) continue;
    spent += cost;
    taken.push(line);
  }
  if (taken.length === 0) return [...tail];
  const note = (): ChatMessage => ({ role: "user", content: taken.join("\n") });
  while (taken.length > 0 && countMessage(note()) + countMessages(tail) > budget) taken.pop();
  return taken.length === 0 ? [...tail] : [note(), ...tail];
}

/** Sentences by the rareness of their words per token, function words left out; the last user message stays. */
async function density({ messages, budget }: Task): Promise<ChatMessage[]> {
  const { last, before } = lastUser(messages, budget);
  const sentences = before.flatMap((message) =>
    sentencesOf(contentOf(message)).map((text) => ({ text, words: contentWords(text) })),
  );
  const rareness = rarenessOf(sentences.map(({ words }) => words));
  const scored = sentences.map(({ text, words }) => {
    const line = withoutFunctionWords(text);
    const mass = [...new Set(words)].reduce((sum, word) => sum + rareness(word), 0);
    return { line, score: mass / (countText(line) + 1) };
  });
  return noted(
    scored.sort((a, b) => b.score - a.score).map(({ line }) => line),
    last,
    budget,
  );
}

/** The messages that share rare words with the last user message, and their neighbours. */
async function bm25({ messages, budget }: Task): Promise<ChatMessage[]> {
  const { last, before } = lastUser(messages, budget);
  const asked = new Set(last.flatMap((message) => contentWords(contentOf(message))));
  const texts = before.map((message) => contentWords(flatText(message)));
  const rareness = rarenessOf(texts);
  const mean = texts.reduce((sum, words) => sum + words.length, 0) / Math.max(1, texts.length);
  const plain = texts.map((words) => {
    let score = 0;
    for (const word of asked) {
      const count = words.filter((one) => one === word).length;
      if (count > 0) score += (rareness(word) * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * words.length) / mean));
    }
    return score;
  });
  const scored = plain.map((score, index) => {
    const around = [-2, -1, 1, 2].map((step) => plain[index + step] ?? 0);
    return { index, score: score + 0.5 * Math.max(...around) };
  });
  const order = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return noted(
    order.map(({ index }) => withoutFunctionWords(flatText(before[index]!))),
    last,
    budget,
  );
}

/**
 * Told what will be needed: the system prompt and the last user message, where they fit, and of the rest only the shortest
 * piece that has each needed value with its context, cheapest first. No task, no rules, no frame: an upper bound.
 */
async function foresight({ messages, budget, needs = [] }: Task): Promise<ChatMessage[]> {
  const lastUser = messages.findLast(({ role }) => role === "user");
  const system = messages.filter(({ role }) => role === "system");
  const whole = [...system, ...(lastUser === undefined ? [] : [lastUser])];
  const kept = countMessages(whole) <= budget ? whole : system;
  const told = kept.map(flatText).join("\n");
  const pieces = needs
    .filter((need) => findNeeds([need], told).inContext === 0)
    .map(
      ({ contexts }) => contexts.map((text) => ({ text, cost: countText(text) })).sort((a, b) => a.cost - b.cost)[0]!,
    )
    .sort((a, b) => a.cost - b.cost);
  const lines: string[] = [];
  for (const { text } of pieces) if (!lines.some((line) => line.includes(text))) lines.push(text);
  return noted(lines, kept, budget);
}

function lastUser(
  messages: readonly ChatMessage[],
  budget: number,
): { last: ChatMessage[]; before: readonly ChatMessage[] } {
  const message = messages.at(-1);
  return message?.role === "user" && countMessage(message) < budget / 2
    ? { last: [message], before: messages.slice(0, -1) }
    : { last: [], before: messages };
}

function rarenessOf(documents: readonly (readonly string[])[]): (word: string) => number {
  const seen = new Map<string, number>();
  for (const words of documents) for (const word of new Set(words)) seen.set(word, (seen.get(word) ?? 0) + 1);
  return (word) => Math.log(1 + documents.length / (1 + (seen.get(word) ?? 0)));
}

const sentencesOf = (text: string) => text.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => sentence.trim() !== "");
const withoutFunctionWords = (text: string) =>
  text.replace(/\b(?:the|a|an|is|are|was|were|of|to|and|that|it|so|just|really|very|i'm|i|you|for|in|on)\b ?/gi, "");
