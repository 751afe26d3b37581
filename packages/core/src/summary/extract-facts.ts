import { findErrorLines } from "../clip/find-error-lines.ts";
import type { Fact, FactKind, Speaker } from "../digest/fact.ts";
import { constraintForce } from "../digest/is-constraint.ts";
import { scanFacts } from "../digest/scan-facts.ts";
import { type Segment, segmentsOf } from "../digest/segments-of.ts";
import type { Message } from "../message/message.ts";
import { splitSentences } from "../text/split-sentences.ts";
import { scanCommands } from "./scan-commands.ts";

export interface ExtractFactsOptions {
  /** Leave out names and bare symbols, which are many and cheap. Default false. */
  readonly exactOnly?: boolean;
}

/** Longer texts are read at both ends: their middle is bulk. */
const longestText = 200_000;
const mostPerMessage = 4000;
const contextChars = 24;

const kindWeight: Readonly<Record<FactKind, number>> = {
  constraint: 8,
  identifier: 4,
  email: 2,
  phone: 2,
  path: 1.5,
  url: 1.3,
  error: 1.2,
  command: 1,
  date: 1,
  money: 0.6,
  name: 0.5,
  symbol: 0.5,
  number: 0.3,
  value: 0.3,
};

interface Sighting {
  kind: FactKind;
  text: string;
  message: number;
  segment: number;
  source: string;
  start: number;
  end: number;
  by: Speaker;
  last: number;
  count: number;
  /** Best role it was seen in: words of user or assistant count more than bulk from tools. */
  role: number;
}

/**
 * What must not be lost in a stretch of conversation: constraints, paths, identifiers, numbers, dates, commands, errors
 * and names, each once, in order of first appearance. Linear in the length of the text.
 */
export function extractFacts(messages: readonly Message[], options: ExtractFactsOptions = {}): Fact[] {
  const seen = new Map<string, Sighting>();
  messages.forEach((message, index) => {
    const segments = segmentsOf(message);
    const room = { left: mostPerMessage };
    segments.forEach((segment, at) => {
      readSegment(segment, index, at, seen, room, options);
    });
  });
  return [...seen.values()].map((sighting) => toFact(sighting, messages.length));
}

function readSegment(
  segment: Segment,
  message: number,
  at: number,
  seen: Map<string, Sighting>,
  room: { left: number },
  options: ExtractFactsOptions,
): void {
  const role = segment.kind === "result" ? 1 : 1.5;
  for (const [from, to] of windows(segment.text)) {
    const text = from === 0 && to === segment.text.length ? segment.text : segment.text.slice(from, to);
    const note = (kind: FactKind, start: number, end: number) => {
      const value = text.slice(start, end);
      const known = seen.get(value);
      if (known !== undefined) {
        known.count++;
        known.last = message;
        if (role > known.role) known.role = role;
        if (kindWeight[kind] > kindWeight[known.kind]) known.kind = kind;
        return;
      }
      if (room.left-- <= 0) return;
      const by = segment.by;
      const place = { message, segment: at, source: segment.text, start: from + start, end: from + end };
      seen.set(value, { kind, text: value, ...place, by, last: message, count: 1, role });
    };
    scanFacts(
      text,
      (kind, start, end) => {
        if (options.exactOnly && (kind === "name" || kind === "symbol")) return;
        if (end - start >= 2) note(kind, start, end);
      },
      { names: segment.kind === "text" },
    );
    if (segment.kind === "text") scanCommands(text, note);
    if (segment.kind === "call") noteCommands(text, note);
    if (segment.kind === "text" && segment.by === "user") noteConstraints(text, note);
    if (segment.kind === "result") noteErrors(text, note);
  }
}

type Note = (kind: FactKind, start: number, end: number) => void;

function noteConstraints(text: string, note: Note): void {
  for (const sentence of splitSentences(text, 300)) {
    if (sentence.text.length < 6 || constraintForce(sentence.text) !== 2) continue;
    note("constraint", sentence.start, sentence.start + sentence.text.length);
  }
}

/** What an agent ran, as the arguments of its calls have it. */
function noteCommands(text: string, note: Note): void {
  for (const match of text.matchAll(/"(?:command|cmd|script)"\s*:\s*"((?:[^"\\]|\\.){2,300})/g)) {
    const end = match.index + match[0].length;
    note("command", end - match[1]!.length, end);
  }
}

function noteErrors(text: string, note: Note): void {
  let from = 0;
  for (const line of findErrorLines(text, 0, text.length, 12)) {
    const start = text.indexOf(line, from);
    if (start === -1) continue;
    const end = start + Math.min(line.length, 200);
    note("error", start, end);
    from = end;
  }
}

function windows(text: string): readonly (readonly [number, number])[] {
  if (text.length <= longestText) return [[0, text.length]];
  const half = longestText / 2;
  return [
    [0, half],
    [text.length - half, text.length],
  ];
}

function toFact(sighting: Sighting, length: number): Fact {
  const recency = length <= 1 ? 1 : sighting.last / (length - 1);
  const weight = (1 + Math.log2(sighting.count)) * (0.7 + 0.3 * recency) * sighting.role * kindWeight[sighting.kind];
  const { kind, text, message, last, by, count, segment, start, end } = sighting;
  const before = sighting.source.slice(Math.max(0, start - contextChars), start);
  const context = `${before}${text}`.replace(/\s+/g, " ").trim();
  return { kind, text, context, message, last, by, count, weight, at: { segment, start, end } };
}
