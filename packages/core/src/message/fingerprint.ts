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

export function fingerprint(message: Message): string {
  const lanes: Lanes = { a: 0x9e3779b9, b: 0x85ebca6b };
  mixText(lanes, message.role);
  for (const part of message.parts) mixPart(lanes, part);
  return finish(lanes);
}

/** Adds a text and its end to the lanes, so that "ab"+"c" and "a"+"bc" differ. */
export function mixText(lanes: Lanes, text: string): void {
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

export function finish(lanes: Lanes): string {
  return hex(avalanche(lanes.a ^ (lanes.b >>> 3))) + hex(avalanche(lanes.b ^ (lanes.a >>> 5)));
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

function avalanche(value: number): number {
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

function hex(value: number): string {
  return value.toString(16).padStart(8, "0");
}
