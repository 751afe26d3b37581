import { findErrorLines } from "../clip/find-error-lines.ts";
import { constraintForce } from "../digest/is-constraint.ts";
import { type Segment, segmentsOf } from "../digest/segments-of.ts";
import type { Message } from "../message/message.ts";
import { splitSentences } from "../text/split-sentences.ts";
import { oneLine } from "./digest-sections.ts";

/** A sentence somebody said, or a tool call with its outcome: what a digest's story is made of. */
export interface DigestEvent {
  readonly message: number;
  /** Position among all events, for adjacency and order. */
  readonly order: number;
  readonly lead: string;
  readonly text: string;
  /** How much the kind of event matters, before its words are looked at. */
  readonly weight: number;
  readonly role: "user" | "assistant" | "run";
  /** 2 binds, 1 wishes; user sentences only. */
  readonly force: 0 | 1 | 2;
  readonly asks: boolean;
  /** The very first request of the span. */
  readonly opening: boolean;
}

const mostSentences = 400;
const inputChars = 160;
const outcomeChars = 120;

export function gatherEvents(messages: readonly Message[]): DigestEvent[] {
  const events: DigestEvent[] = [];
  const outcomes = outcomesOf(messages);
  let openings = 0;
  messages.forEach((message, index) => {
    const closing = message.role === "assistant" && messages[index + 1]?.role === "user";
    for (const segment of segmentsOf(message)) {
      if (segment.kind === "text" && segment.by !== "tool") {
        const user = segment.by === "user";
        const opening = user && openings === 0;
        if (user) openings++;
        readSentences(segment, index, user, opening, closing ? 1.3 : 1, events);
      } else if (segment.kind === "call") {
        const outcome = segment.callId === undefined ? undefined : outcomes.get(segment.callId);
        events.push({
          message: index,
          order: events.length,
          lead: `ran ${segment.name ?? "tool"}`,
          text: runLine(segment, outcome),
          weight: outcome?.isError ? 1.2 : 0.8,
          role: "run",
          force: 0,
          asks: false,
          opening: false,
        });
      }
    }
  });
  return collapseRuns(events);
}

/** The same call made again is one event, told where it was last made. */
function collapseRuns(events: readonly DigestEvent[]): DigestEvent[] {
  const times = new Map<string, number>();
  const keyOf = (event: DigestEvent) => `${event.lead}: ${event.text}`;
  for (const event of events) if (event.role === "run") times.set(keyOf(event), (times.get(keyOf(event)) ?? 0) + 1);
  const seen = new Map<string, number>();
  return events.flatMap((event) => {
    if (event.role !== "run") return [event];
    const key = keyOf(event);
    const all = times.get(key)!;
    const now = (seen.get(key) ?? 0) + 1;
    seen.set(key, now);
    if (now < all) return [];
    return [all === 1 ? event : { ...event, text: `${event.text} (×${all})`, weight: event.weight * 1.2 }];
  });
}

function readSentences(
  segment: Segment,
  message: number,
  user: boolean,
  opening: boolean,
  weight: number,
  events: DigestEvent[],
): void {
  let code = false;
  let left = mostSentences;
  for (const sentence of splitSentences(segment.text)) {
    const text = oneLine(sentence.text);
    if (text.startsWith("```")) {
      code = !code;
      continue;
    }
    if (!/[\p{L}\p{N}]/u.test(text)) continue;
    if (left-- <= 0) break;
    const asks = /[?？]["”)]?$/.test(text);
    events.push({
      message,
      order: events.length,
      lead: user ? "user" : "assistant",
      text,
      weight: (code ? 0.35 : 1) * weight,
      asks,
      role: user ? "user" : "assistant",
      force: user && !code ? constraintForce(text) : 0,
      // A greeting opens nothing.
      opening: opening && text.length >= 12,
    });
  }
}

function runLine(call: Segment, outcome: Segment | undefined): string {
  const input = oneLine(call.text);
  const shown = input.length > inputChars ? `${sliceChars(input, inputChars)}…` : input;
  if (outcome === undefined) return shown;
  return `${shown} → ${outcomeLine(outcome)}`;
}

function outcomeLine(outcome: Segment): string {
  const errors = outcome.isError ? [oneLine(outcome.text.slice(0, 400))] : findErrorLines(outcome.text, 0, 4000, 3);
  const error = errors.find((line) => /error|exception/i.test(line)) ?? errors[0];
  if (error !== undefined && error !== "") return `failed: ${sliceChars(error, outcomeChars)}`;
  const text = outcome.text.length > 400 ? "" : oneLine(outcome.text);
  if (text === "") return "ok";
  return text.length <= 60 ? text : "ok";
}

function outcomesOf(messages: readonly Message[]): Map<string, Segment> {
  const outcomes = new Map<string, Segment>();
  for (const message of messages) {
    for (const segment of segmentsOf(message)) {
      if (segment.kind === "result" && segment.callId !== undefined && !outcomes.has(segment.callId)) {
        outcomes.set(segment.callId, segment);
      }
    }
  }
  return outcomes;
}

/** Never ends between the halves of a surrogate pair. */
export function sliceChars(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
