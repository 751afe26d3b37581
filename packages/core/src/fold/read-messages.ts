import type { DecodeOptions, Format } from "../formats/format.ts";
import type { Message } from "../message/message.ts";
import { sameMessage } from "../message/same-message.ts";
import { type KeptReading, type LatestReading, Reading } from "./reading.ts";

/** What a wire object was last read as, and in which conversation. */
interface Place {
  readonly message: Message;
  readonly index: number;
  readonly latest: LatestReading;
  /** Keeps the reading in memory. Only the newest message of a conversation has it: older ones are often shared by many. */
  kept?: KeptReading;
}

const places = new WeakMap<object, Place>();

/** How many messages may have come since the conversation was last read, for it to be found again. */
const lookBack = 64;

/** A conversation's messages, and the reading that remembers what was worked out about them. */
export interface ReadMessages {
  readonly messages: readonly Message[];
  readonly reading: Reading;
}

/**
 * Decodes a conversation, but only what is new in it: agents send the same objects turn after turn, with a few more at
 * the end. Known objects are looked at again all the same, since callers change messages in place; one that says the same
 * as before keeps its message, and with it everything that is remembered per message.
 */
export function readMessages(wire: readonly unknown[], format: Format, options: DecodeOptions): ReadMessages {
  const earlier = findReading(wire, format);
  const known = earlier === undefined ? 0 : countKnown(wire, earlier);
  const messages = earlier === undefined ? [] : earlier.messages.slice(0, known);
  const fresh = format.decode(known === 0 ? wire : wire.slice(known), { ...options, after: messages });
  const reading = earlier?.upTo(known) ?? new Reading(format);
  const { latest, kept } = reading;
  for (const decoded of fresh) {
    const source = decoded.source as object;
    const before = places.get(source)?.message;
    const message = before !== undefined && sameMessage(before, decoded) ? before : decoded;
    places.set(source, { message, index: reading.messages.length, latest });
    reading.add(source, message);
    messages.push(message);
  }
  const newest = reading.wire.at(-1);
  const place = newest === undefined ? undefined : places.get(newest);
  if (place !== undefined) place.kept = kept;
  return { messages, reading };
}

/** The reading that this conversation's newest known message belongs to. */
function findReading(wire: readonly unknown[], format: Format): Reading | undefined {
  if (!Array.isArray(wire)) return undefined;
  const end = Math.max(0, wire.length - lookBack);
  for (let index = wire.length - 1; index >= end; index--) {
    const place = places.get(wire[index] as object);
    const reading = place?.index === index ? place.latest.reading.deref() : undefined;
    if (reading?.format === format) return reading;
  }
  return undefined;
}

/** How many messages the conversation and the reading have in common, each still saying what it said. */
function countKnown(wire: readonly unknown[], { wire: before, messages, format }: Reading): number {
  const most = Math.min(wire.length, messages.length);
  let known = 0;
  while (known < most && wire[known] === before[known] && format.unchanged(before[known]!, messages[known]!)) known++;
  return known;
}
