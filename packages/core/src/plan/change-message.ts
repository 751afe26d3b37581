import type { PartPlace } from "../atoms/match-tool-pairs.ts";
import { clipMessage } from "../clip/clip-message.ts";
import type { Message } from "../message/message.ts";
import type { Part, ToolResultPart } from "../message/part.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import type { Cut } from "./plan.ts";

export interface MessageChange {
  readonly cut?: Cut | undefined;
  /** Parts that answer no call. */
  readonly strays: readonly PartPlace[];
  /** Results to add for calls that never got one. */
  readonly answers: readonly ToolResultPart[];
}

/** A message as the plan wants it. Parts that stay are the same objects; undefined when nothing is left of it. */
export function changeMessage(message: Message, change: MessageChange, counter: TokenCounter): Message | undefined {
  let parts: readonly Part[] = message.parts;
  if (change.strays.length > 0) {
    const gone = new Set(change.strays.map((stray) => stray.part));
    parts = parts.filter((_, index) => !gone.has(index));
    if (parts.length === 0 && change.answers.length === 0) return undefined;
  }
  const { cut } = change;
  if (cut?.withoutReasoning === true) parts = parts.filter((part) => part.type !== "reasoning");
  if (cut?.note !== undefined) parts = parts.map((part) => withNote(part, cut.note as string));
  if (change.answers.length > 0) parts = [...parts, ...change.answers];
  const changed = parts === message.parts ? message : { ...message, parts };
  return cut === undefined ? changed : clipMessage(changed, cut.toTokens, counter);
}

function withNote(part: Part, note: string): Part {
  if (part.type !== "tool-result") return part;
  const { source: _, ...rest } = part;
  return { ...rest, content: [{ type: "text", text: note }] };
}
