import { clipText, grouped } from "../clip/clip-text.ts";
import { frameOf } from "../digest/frame.ts";
import { quoteHistory } from "../digest/quote-history.ts";
import { segmentsOf } from "../digest/segments-of.ts";
import type { Message } from "../message/message.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";

export interface SerializeHistoryOptions {
  readonly counter: TokenCounter;
  /** Bound for the whole transcript. */
  readonly maxTokens: number;
  /** Bound for one tool result or tool input; what summarizers need of them is little. */
  readonly resultTokens?: number;
}

export interface SerializedHistory {
  readonly text: string;
  readonly tokens: number;
  /** Messages that did not fit and were left out of the middle. */
  readonly leftOut: number;
}

/**
 * Messages as a plain transcript that fits a summarizer's window. When it is too long, tool traffic is cut harder, then
 * long messages are capped, then messages are left out of the middle, never off the ends.
 *
 * @example const { text } = serializeHistory(messages, { counter: getCounter("gpt-4o"), maxTokens: 20_000 });
 */
export function serializeHistory(messages: readonly Message[], options: SerializeHistoryOptions): SerializedHistory {
  const { counter, maxTokens } = options;
  const names = new Map<string, string>();
  for (const message of messages) {
    for (const part of message.parts) if (part.type === "tool-call") names.set(part.id, part.name);
  }
  const start = options.resultTokens ?? 500;
  for (const [results, texts] of [
    [start, 4000],
    [start / 3, 2000],
    [start / 8, 800],
    [24, 300],
    [12, 120],
  ] as const) {
    const blocks = messages.map((message, index) => blockOf(message, index, { counter, names, results, texts }));
    const text = blocks.filter((block) => block !== "").join("\n");
    const tokens = counter.count(text);
    if (tokens <= maxTokens) return { text, tokens, leftOut: 0 };
    if (results === 12) return thinned(blocks, counter, maxTokens);
  }
  return { text: "", tokens: 0, leftOut: messages.length };
}

interface BlockRules {
  readonly counter: TokenCounter;
  readonly names: ReadonlyMap<string, string>;
  readonly results: number;
  readonly texts: number;
}

function blockOf(message: Message, index: number, rules: BlockRules): string {
  if (frameOf(message) !== undefined) return "";
  const lines: string[] = [];
  // Without the day a summarizer cannot tell what "yesterday" means.
  const place = message.at === undefined ? `[${index}]` : `[${index}, ${message.at.slice(0, 10)}]`;
  const short = (text: string, tokens: number) =>
    clipText(text, Math.floor(tokens), rules.counter, { marker: "[cut]" });
  for (const segment of segmentsOf(message)) {
    if (segment.kind === "text") {
      const who = message.role === "system" ? "system" : segment.by;
      lines.push(`${place} ${who}: ${short(segment.text, rules.texts)}`);
    } else if (segment.kind === "call") {
      lines.push(`[${index}] assistant called ${segment.name}: ${short(segment.text, rules.results)}`);
    } else {
      const name = segment.name ?? rules.names.get(segment.callId ?? "") ?? "tool";
      lines.push(
        `[${index}] ${name} ${segment.isError ? "failed" : "returned"}: ${short(segment.text, rules.results)}`,
      );
    }
  }
  const media = message.parts.filter(
    (part) => part.type === "image" || (part.type === "file" && part.text === undefined),
  );
  for (const part of media) lines.push(`[${index}] ${message.role} attached ${describeMedia(part)}`);
  return quoteHistory(lines.join("\n"));
}

function describeMedia(part: Message["parts"][number]): string {
  if (part.type === "file") return `a file (${part.name ?? part.mediaType ?? "unnamed"})`;
  return part.type === "image" ? `an image (${part.mediaType ?? "image"})` : part.type;
}

/** A third from the start and the rest from the end, whole messages only. */
function thinned(blocks: readonly string[], counter: TokenCounter, maxTokens: number): SerializedHistory {
  const gap = (count: number) => `[… ${grouped(count)} messages left out here …]`;
  const sizes = blocks.map((block) => counter.count(block) + 1);
  let room = maxTokens - counter.count(gap(blocks.length)) - 4;
  let head = 0;
  let tail = blocks.length;
  let spent = 0;
  while (head < tail && spent + sizes[head]! <= room * 0.35) spent += sizes[head++]!;
  while (tail > head && spent + sizes[tail - 1]! <= room) spent += sizes[--tail]!;
  for (;;) {
    const pieces = [...blocks.slice(0, head), ...(tail > head ? [gap(tail - head)] : []), ...blocks.slice(tail)];
    const text = pieces.filter((piece) => piece !== "").join("\n");
    const tokens = counter.count(text);
    if (tokens <= maxTokens) return { text, tokens, leftOut: tail - head };
    if (tail < blocks.length) tail++;
    else if (head > 0) head--;
    else return { text: "", tokens: 0, leftOut: blocks.length };
    room--;
  }
}
