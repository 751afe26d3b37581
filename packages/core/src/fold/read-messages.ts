import type { DecodeOptions, Format } from "../formats/format.ts";
import type { Message } from "../message/message.ts";
import { sameMessage } from "../message/same-message.ts";
import { Reading } from "./reading.ts";

/** Where every wire object that is still alive was last read. */
const places = new WeakMap<object, { readonly reading: Reading; readonly index: number }>();

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
  const reading = earlier === undefined || known === 0 ? new Reading(format) : earlier.upTo(known);
  for (const decoded of fresh) {
    const message = asBefore(decoded);
    const source = decoded.source as object;
    places.set(source, { reading, index: reading.messages.length });
    reading.add(source, message);
    messages.push(message);
  }
  return { messages, reading };
}

/** The reading that this conversation's newest known message belongs to. */
function findReading(wire: readonly unknown[], format: Format): Reading | undefined {
  if (!Array.isArray(wire)) return undefined;
  const end = Math.max(0, wire.length - lookBack);
  for (let index = wire.length - 1; index >= end; index--) {
    const object: unknown = wire[index];
    if (typeof object !== "object" || object === null) continue;
    const place = places.get(object);
    if (place?.index === index && place.reading.format === format) return place.reading;
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

function asBefore(message: Message): Message {
  const place = places.get(message.source as object);
  const before = place?.reading.messages[place.index];
  return before !== undefined && sameMessage(before, message) ? before : message;
}
