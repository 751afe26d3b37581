import type { Fact } from "../digest/fact.ts";
import type { Frame } from "../digest/frame.ts";
import { scanFacts } from "../digest/scan-facts.ts";
import type { Message } from "../message/message.ts";
import { splitSentences } from "../text/split-sentences.ts";
import { stopWords } from "../text/stop-words.ts";
import { termsOf } from "../text/terms-of.ts";
import { estimateText } from "../tokens/estimate-text.ts";
import type { Section } from "./digest-sections.ts";
import { gatherDetails } from "./gather-details.ts";
import { type DigestEvent, gatherEvents } from "./gather-events.ts";
import { telegraph } from "./telegraph.ts";

/** One thing a digest may say, with what saying it costs and is worth. */
export interface DigestItem {
  readonly section: Section;
  /** Index of its message; negative for what an earlier digest carried on, one number per line there. */
  readonly message: number;
  readonly order: number;
  readonly lead: string;
  readonly text: string;
  /** The text without its small words, where that is shorter: used when there is not room for everything. */
  readonly short: string;
  /** What to write right after the item before it; the whole text, after a space, where undefined. */
  readonly joined?: string;
  /** Estimated tokens of the short text. */
  readonly cost: number;
  readonly value: number;
  readonly opening: boolean;
  /** A user sentence that binds: goes to the constraints as long as they have room. */
  readonly binds: boolean;
  /** Exact texts inside, for new ledger items: what is said elsewhere need not be said again. */
  readonly facts: readonly string[];
}

/** Everything a digest could say about these messages and the frames before them, in the order it would be said. */
export function collectItems(messages: readonly Message[], frames: readonly Frame[], question?: string): DigestItem[] {
  const events = gatherEvents(messages);
  const carried = frames.flatMap((frame, index) => carry(frame, index - frames.length));
  const texts = [
    ...carried.filter((item) => item.section === "events").map((item) => item.text),
    ...events.map((event) => event.text),
  ];
  const worth = worthOf(texts, question);
  const userWeight = weightOfUser(events);
  const items: DigestItem[] = carried.map((item) =>
    item.section === "ledger"
      ? item
      : { ...item, value: worth(item.text) * (item.lead === "user" ? userWeight : 1) * 1.2 },
  );
  const known = new Set(items.filter((item) => item.section === "constraints").map((item) => item.text));
  const last = Math.max(1, messages.length - 1);
  for (const event of events) {
    const binds = event.force === 2;
    if (binds && known.has(event.text)) continue;
    if (binds) known.add(event.text);
    const short = binds || event.role === "run" ? event.text : telegraph(event.text);
    if (short === "") continue;
    const role = event.role === "user" ? userWeight : 1;
    const wish = event.force === 1 ? 1.2 : 1;
    const asks = event.asks ? askWeight(event.role, userWeight) : 1;
    items.push({
      section: "events",
      message: event.message,
      order: event.order,
      lead: event.lead,
      text: event.text,
      short,
      cost: estimateText(short) + 1,
      value: worth(short) * event.weight * role * wish * asks * (0.9 + (0.2 * event.message) / last),
      opening: event.opening,
      binds,
      facts: [],
    });
  }
  for (const detail of gatherDetails(messages)) {
    items.push({
      section: "ledger",
      message: detail.message,
      order: detail.order,
      lead: detail.lead,
      text: detail.text,
      short: detail.text,
      ...(detail.joined !== undefined && { joined: detail.joined }),
      cost: estimateText(detail.text) + 1.5,
      value: detail.weight * (question === undefined ? 1 : 1 + overlap(detail.facts, question)),
      opening: false,
      binds: false,
      facts: detail.facts.map((fact) => fact.text),
    });
  }
  return items;
}

/** Items of an earlier digest or summary, one by one, so that they compete with the new ones instead of piling up. */
function carry(frame: Frame, position: number): DigestItem[] {
  const items: DigestItem[] = [];
  let line = position * 1_000_000;
  const push = (section: Section, lead: string, text: string, order: number) => {
    const value = section === "ledger" ? factsIn(text) * 3.5 : 0;
    const cost = estimateText(text) + 1.5;
    const binds = section === "constraints";
    items.push({
      section,
      message: line,
      order,
      lead,
      text,
      short: text,
      cost,
      value,
      opening: false,
      binds,
      facts: [],
    });
  };
  for (const text of frame.constraints) {
    push("constraints", "", text, 0);
    line++;
  }
  for (const sentence of splitSentences(frame.prose)) {
    push("events", "earlier", sentence.text, 0);
    line++;
  }
  for (const section of ["events", "ledger"] as const) {
    for (const whole of frame[section]) {
      const lead = /^((?:ran )?[\p{L}\p{N}_.@/-]{1,80}): /u.exec(whole);
      const body = lead === null ? whole : whole.slice(lead[0].length);
      body.split(" … ").forEach((piece, index) => {
        push(section, lead?.[1] ?? "", piece, index * 2);
      });
      line++;
    }
  }
  return items;
}

function factsIn(text: string): number {
  let facts = 0;
  scanFacts(
    text,
    () => {
      facts++;
    },
    { names: false },
  );
  return facts;
}

/**
 * The worth of a text: the rarity of its distinct words, summed, measured over all candidate texts; more for names and
 * numbers in it, less for exclamations of one or two words, up to four times as much for what bears on the question.
 */
function worthOf(texts: readonly string[], question: string | undefined): (text: string) => number {
  const frequency = new Map<string, number>();
  for (const text of texts)
    for (const term of new Set(termsOf(text))) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const total = texts.length + 1;
  const rarity = (term: string) =>
    stopWords.has(term) ? 0.05 : Math.log(1 + total / (1 + (frequency.get(term) ?? 0))) ** 1.5;
  const asked = new Set(question === undefined ? [] : termsOf(question).filter((term) => !stopWords.has(term)));
  return (text) => {
    let worth = 0;
    let words = 0;
    for (const term of new Set(termsOf(text))) {
      worth += rarity(term) * (asked.has(term) ? 4 : 1);
      if (!stopWords.has(term)) words++;
    }
    const exact = text.match(/(?<=[a-z,] )[A-Z][a-z]+|\d+/g)?.length ?? 0;
    return worth * Math.min(1, words / 4) * (1 + 0.6 * Math.min(4, exact));
  };
}

/** A user's question to an assistant is what is wanted; an assistant's, or one between equals, mostly keeps talk going. */
function askWeight(role: DigestEvent["role"], userWeight: number): number {
  return role === "user" && userWeight > 1.2 ? 1.2 : 0.7;
}

/**
 * In a chat with an assistant the user's few words hold most of what matters; between equals nobody's do. The weight
 * follows from the user's share of the words.
 */
function weightOfUser(events: readonly DigestEvent[]): number {
  let user = 0;
  let all = 0;
  for (const event of events) {
    if (event.role === "run") continue;
    all += event.text.length;
    if (event.role === "user") user += event.text.length;
  }
  if (user === 0) return 1;
  return Math.min(3, Math.max(1, (0.5 * all) / user));
}

function overlap(facts: readonly Fact[], question: string): number {
  const asked = new Set(termsOf(question).filter((term) => !stopWords.has(term)));
  let hits = 0;
  for (const fact of facts) for (const term of termsOf(fact.context)) if (asked.has(term)) hits++;
  return Math.min(3, hits);
}
