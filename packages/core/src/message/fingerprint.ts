/**
 * A content hash of a message that survives what clients change without changing meaning: ids, cache marks, and whether
 * text was spelled as a string or as a block. Two 32-bit lanes, one pass, no allocation per character: fast enough to
 * run over every message of every request. Not cryptographic: records found by it are scoped to one tenant.
 */
import type { Message } from "./message.ts";
import type { Part } from "./part.ts";

export interface Lanes {
  a: number;
  b: number;
}

const known = new WeakMap<Message, Readonly<Lanes>>();

/**
 * The hash of a message as text.
 *
 * @example fingerprint(first) === fingerprint(second); // the same content, whatever their cache marks and ids
 */
export function fingerprint(message: Message): string {
  return toHex(fingerprintLanes(message));
}

/** The same hash as two numbers, remembered per message object. */
export function fingerprintLanes(message: Message): Readonly<Lanes> {
  let lanes = known.get(message);
  if (lanes === undefined) {
    lanes = compute(message);
    known.set(message, lanes);
  }
  return lanes;
}

function compute(message: Message): Lanes {
  const lanes: Lanes = { a: 0x9e3779b9, b: 0x85ebca6b };
  mixText(lanes, message.role);
  for (const part of message.parts) mixPart(lanes, part);
  return { a: avalanche(lanes.a ^ (lanes.b >>> 3)), b: avalanche(lanes.b ^ (lanes.a >>> 5)) };
}

/** Adds a text and its end to the lanes, so that "ab"+"c" and "a"+"bc" differ. */
function mixText(lanes: Lanes, text: string): void {
  let { a, b } = lanes;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x5bd1e995);
    b ^= b >>> 15;
  }
  lanes.a = Math.imul(a ^ text.length ^ 0x7f4a7c15, 0x01000193);
  lanes.b = Math.imul(b ^ text.length ^ 0x2545f491, 0x5bd1e995);
}

export function toHex({ a, b }: Readonly<Lanes>): string {
  return hex(a) + hex(b);
}

function mixPart(lanes: Lanes, part: Part): void {
  mixText(lanes, part.type);
  switch (part.type) {
    case "text":
      mixText(lanes, part.text);
      return;
    case "image":
      mixText(lanes, part.data ?? part.url ?? part.fileId ?? "");
      return;
    case "file":
      mixText(lanes, part.name ?? "");
      mixText(lanes, part.data ?? part.text ?? part.url ?? part.fileId ?? "");
      return;
    case "reasoning":
      mixText(lanes, part.text);
      mixText(lanes, part.signature ?? part.opaque ?? "");
      return;
    case "tool-call":
      mixText(lanes, part.name);
      mixText(lanes, part.input);
      return;
    case "tool-result":
      mixText(lanes, part.isError === true ? "error" : "ok");
      for (const inner of part.content) mixPart(lanes, inner);
      return;
    case "other":
      mixText(lanes, part.kind);
      mixText(lanes, JSON.stringify(part.value, withoutMarks) ?? "");
  }
}

/** Cache marks and ids move between requests although the content stays. */
function withoutMarks(key: string, value: unknown): unknown {
  return key === "cache_control" || key === "id" ? undefined : value;
}

export function avalanche(value: number): number {
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

const bytes = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, "0"));

/** Table look-ups: formatting numbers would take longer than hashing short messages. */
function hex(value: number): string {
  return bytes[value >>> 24]! + bytes[(value >>> 16) & 255]! + bytes[(value >>> 8) & 255]! + bytes[value & 255]!;
}
