import type { Message } from "../message/message.ts";
import type { FilePart, ImagePart, OtherPart, Part, TextPart, ToolResultPart } from "../message/part.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { clipText, defaultMarker } from "./clip-text.ts";

export interface ClipPartsOptions {
  readonly marker?: string;
  /** What of the text that somebody said stays, before anything else between its two ends. */
  readonly important?: ((text: string) => readonly string[]) | undefined;
  /** The share of the room that it may take. */
  readonly linesShare?: number | undefined;
}

/** One text inside a message that may become shorter. */
interface Slot {
  readonly rung: Rung;
  readonly text: string;
  readonly place: readonly [part: number, inner?: number];
  /** What somebody said, and not a file. */
  readonly said?: boolean;
}

type Rung = "result" | "failed-result" | "text" | "input";

/** What gives way, in order, and how small it may become before the next gives way. */
const steps: readonly (readonly [rung: Rung | "images", floor: number])[] = [
  ["result", 160],
  ["images", 0],
  ["result", 40],
  ["text", 160],
  ["input", 120],
  ["failed-result", 80],
  ["result", 8],
  ["text", 24],
  ["input", 16],
  ["failed-result", 8],
  ["text", 1],
];

/**
 * The message within `toTokens`, or as near as it can come: large tool results give way first, failed ones late.
 * Parts that change lose their `source`, so that the format writes them anew; all others keep theirs.
 *
 * @example const shorter = clipParts(message, 500, getCounter("gpt-4o"));
 */
export function clipParts(
  message: Message,
  toTokens: number,
  counter: TokenCounter,
  options: ClipPartsOptions = {},
): Message {
  const { marker = defaultMarker, important, linesShare } = options;
  const known = newest.get(message);
  if (
    known?.toTokens === toTokens &&
    known.counter === counter &&
    known.marker === marker &&
    known.important === important
  )
    return known.clipped;
  let clipped = message;
  for (const [rung, floor] of steps) {
    const over = counter.countMessage(clipped) - toTokens;
    if (over <= 0) break;
    clipped =
      rung === "images"
        ? withoutResultImages(clipped)
        : shrink(clipped, rung, over, floor, counter, { marker, important, linesShare });
  }
  newest.set(message, { toTokens, counter, marker, important, clipped });
  return clipped;
}

/** A fold asks for the same clip when it writes its frame and again when it writes its edits; of a megabyte of JSON each takes 0.15 s. */
const newest = new WeakMap<Message, Clip>();

interface Clip {
  readonly toTokens: number;
  readonly counter: TokenCounter;
  readonly marker: string;
  readonly important: ClipPartsOptions["important"];
  readonly clipped: Message;
}

/** Lowers the largest texts of one rung to a common level that frees `over` tokens, but not below the floor. */
function shrink(
  message: Message,
  rung: Rung,
  over: number,
  floor: number,
  counter: TokenCounter,
  { important, linesShare, ...options }: ClipPartsOptions & { readonly marker: string },
): Message {
  const slots = slotsOf(message).filter((slot) => slot.rung === rung);
  const sizes = slots.map((slot) => counter.count(slot.text));
  const level = Math.max(floor, waterLevel(sizes, over));
  let parts: Part[] | undefined;
  slots.forEach((slot, index) => {
    if (sizes[index]! <= level) return;
    // Providers refuse empty and blank texts, so something always stays.
    const start = clipText(slot.text, level, counter, {
      ...options,
      ...(slot.said && important && { important, ...(linesShare && { linesShare }) }),
    });
    const clipped = start.trim() === "" ? "…" : start;
    // By tokens: in Chinese a mark in English is longer than the words it stands for and costs less.
    if (counter.count(clipped) >= sizes[index]!) return;
    parts ??= [...message.parts];
    replaceText(parts, slot.place, clipped, options.marker);
  });
  return parts === undefined ? message : { ...message, parts };
}

/** The cap that takes `over` off the sum of the sizes when nothing may exceed it. */
export function waterLevel(sizes: readonly number[], over: number): number {
  const sorted = [...sizes].sort((a, b) => b - a);
  let freed = 0;
  for (let i = 0; i < sorted.length; i++) {
    const next = sorted[i + 1] ?? 0;
    const step = (sorted[i]! - next) * (i + 1);
    if (freed + step >= over) return Math.max(0, Math.floor(sorted[i]! - (over - freed) / (i + 1)));
    freed += step;
  }
  return 0;
}

function slotsOf(message: Message): Slot[] {
  const slots: Slot[] = [];
  message.parts.forEach((part, index) => {
    if (part.type === "text") slots.push({ rung: "text", text: part.text, place: [index], said: true });
    else if (part.type === "file" && part.text !== undefined) {
      slots.push({ rung: "text", text: part.text, place: [index] });
    } else if (part.type === "tool-call") slots.push({ rung: "input", text: part.input, place: [index] });
    else if (part.type === "tool-result") {
      const rung = part.isError ? "failed-result" : "result";
      part.content.forEach((inner, at) => {
        if (inner.type === "text") slots.push({ rung, text: inner.text, place: [index, at] });
        else if (inner.type === "file" && inner.text !== undefined) {
          slots.push({ rung, text: inner.text, place: [index, at] });
        }
      });
    }
  });
  return slots;
}

function replaceText(parts: Part[], place: Slot["place"], text: string, marker: string): void {
  const [index, inner] = place;
  const part = parts[index]!;
  if (part.type === "tool-result" && inner !== undefined) {
    const content = [...part.content];
    content[inner] = retexted(content[inner]!, text);
    parts[index] = withContent(part, content);
  } else if (part.type === "tool-call") {
    const { source: _source, ...rest } = part;
    // Arguments must stay what the protocol says they are: JSON that does not survive the cut becomes a small object.
    const input = part.custom || isJson(text) ? text : JSON.stringify({ truncated: marker });
    parts[index] = { ...rest, input };
  } else parts[index] = retexted(part as TextPart | FilePart, text);
}

function retexted<TPart extends TextPart | FilePart | ImagePart | OtherPart>(part: TPart, text: string): TPart {
  const { source: _source, ...rest } = part;
  return { ...rest, text } as unknown as TPart;
}

function withContent(part: ToolResultPart, content: ToolResultPart["content"]): ToolResultPart {
  const { source: _source, ...rest } = part;
  return { ...rest, content };
}

/** Images and binary files inside tool results become one line of text that says what was there. */
function withoutResultImages(message: Message): Message {
  let changed = false;
  const parts = message.parts.map((part) => {
    if (part.type !== "tool-result") return part;
    if (!part.content.some(isBinary)) return part;
    changed = true;
    return withContent(
      part,
      part.content.map((inner) => (isBinary(inner) ? { type: "text" as const, text: placeholder(inner) } : inner)),
    );
  });
  return changed ? { ...message, parts } : message;
}

function isBinary(part: ToolResultPart["content"][number]): part is ImagePart | FilePart {
  return part.type === "image" || (part.type === "file" && part.text === undefined);
}

function placeholder(part: ImagePart | FilePart): string {
  const about = [part.type === "file" ? part.name : undefined, part.mediaType, sizeOf(part)].filter(
    (word) => word !== undefined,
  );
  return `[${part.type} left out${about.length === 0 ? "" : `: ${about.join(", ")}`}]`;
}

function sizeOf(part: ImagePart | FilePart): string | undefined {
  if (part.type === "image" && part.width !== undefined && part.height !== undefined) {
    return `${part.width}×${part.height}`;
  }
  return part.type === "file" && part.bytes !== undefined ? `${part.bytes} bytes` : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
