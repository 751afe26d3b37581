import type { Message, Part, ToolCallPart } from "@midfold/core";
import type { AppliedEdit, ContextEdit } from "../neutral/neutral-request.ts";

export interface ContextEditOptions {
  readonly countMessage: (message: Message) => number;
  /** The whole request: system prompt and tools included. */
  readonly inputTokens: number;
}

export interface ContextEditResult {
  readonly messages: readonly Message[];
  readonly applied: readonly AppliedEdit[];
  /** The client asks for a summary of everything so far, and its trigger is reached. */
  readonly compaction?: { readonly instructions?: string };
}

export const clearedResult = "[Old tool result content cleared]";

/** Makes the edits a client asks for, for upstreams that do not know them. Messages no edit touches stay the same. */
export function applyContextEdits(
  messages: readonly Message[],
  edits: readonly ContextEdit[],
  options: ContextEditOptions,
): ContextEditResult {
  let current = messages;
  let tokens = options.inputTokens;
  let compaction: ContextEditResult["compaction"];
  const applied: AppliedEdit[] = [];
  for (const edit of edits) {
    if (edit.type === "compact") {
      const { instructions } = edit;
      if (tokens > edit.triggerTokens) compaction = instructions === undefined ? {} : { instructions };
      continue;
    }
    const done =
      edit.type === "clear-thinking"
        ? clearThinking(current, edit.keepTurns, options)
        : clearToolUses(current, edit, tokens, options);
    if (done === undefined) continue;
    current = done.messages;
    tokens -= done.applied.clearedInputTokens;
    applied.push(done.applied);
  }
  return { messages: current, applied, ...(compaction === undefined ? {} : { compaction }) };
}

interface Done {
  readonly messages: readonly Message[];
  readonly applied: AppliedEdit;
}

function clearToolUses(
  messages: readonly Message[],
  edit: ContextEdit & { type: "clear-tool-uses" },
  tokens: number,
  { countMessage }: ContextEditOptions,
): Done | undefined {
  const calls = messages.flatMap((message) => message.parts.filter(isOwnCall));
  if (edit.triggerToolUses !== undefined ? calls.length <= edit.triggerToolUses : tokens <= (edit.triggerTokens ?? 0)) {
    return undefined;
  }
  const excluded = new Set(edit.excludeTools);
  const old = calls.slice(0, Math.max(0, calls.length - edit.keepToolUses));
  const cleared = new Map(old.filter((call) => !excluded.has(call.name)).map((call) => [call.id, call]));
  const done = new Set<string>();
  const next = messages.map((message) => clearParts(message, cleared, edit.clearInputs, done));
  const saved = savedTokens(messages, next, countMessage);
  if (done.size === 0 || saved < (edit.clearAtLeastTokens ?? 0)) return undefined;
  return {
    messages: next,
    applied: { type: "clear-tool-uses", clearedToolUses: done.size, clearedInputTokens: saved },
  };
}

function isOwnCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.hosted !== true;
}

function clearParts(
  message: Message,
  cleared: ReadonlyMap<string, ToolCallPart>,
  clearInputs: boolean | readonly string[],
  done: Set<string>,
): Message {
  let changed = false;
  const parts = message.parts.map((part): Part => {
    if (part.type === "tool-result" && cleared.has(part.callId) && !isCleared(part)) {
      changed = true;
      done.add(part.callId);
      const { source: _, ...rest } = part;
      return { ...rest, content: [{ type: "text", text: clearedResult }] };
    }
    const clears = Array.isArray(clearInputs)
      ? part.type === "tool-call" && clearInputs.includes(part.name)
      : clearInputs;
    if (clears !== true || !isOwnCall(part) || !cleared.has(part.id) || part.input === "{}") return part;
    changed = true;
    const { source: _, ...rest } = part;
    return { ...rest, input: part.custom === true ? "" : "{}" };
  });
  return changed ? { ...message, parts } : message;
}

function isCleared(part: Part & { type: "tool-result" }): boolean {
  const [only] = part.content;
  return part.content.length === 1 && only?.type === "text" && only.text === clearedResult;
}

/** A turn is all the assistant says between two messages of the user; tool results do not end it. */
function clearThinking(
  messages: readonly Message[],
  keepTurns: number | "all",
  { countMessage }: ContextEditOptions,
): Done | undefined {
  if (keepTurns === "all") return undefined;
  const turns: number[] = [];
  let turn = 0;
  for (const message of messages) {
    if (message.role === "user") turn++;
    turns.push(turn);
  }
  const thoughtful = [...new Set(turns.filter((_, at) => messages[at]?.parts.some(isThought)))];
  const old = new Set(thoughtful.slice(0, Math.max(0, thoughtful.length - keepTurns)));
  if (old.size === 0) return undefined;
  const next = messages.flatMap((message, at) => {
    if (!old.has(turns[at] ?? 0) || !message.parts.some(isThought)) return [message];
    const parts = message.parts.filter((part) => !isThought(part));
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
  const before = messages.reduce((sum, message) => sum + countMessage(message), 0);
  const after = next.reduce((sum, message) => sum + countMessage(message), 0);
  return {
    messages: next,
    applied: { type: "clear-thinking", clearedTurns: old.size, clearedInputTokens: Math.max(0, before - after) },
  };
}

function isThought(part: Part): boolean {
  return part.type === "reasoning";
}

function savedTokens(
  before: readonly Message[],
  after: readonly Message[],
  countMessage: (message: Message) => number,
): number {
  let saved = 0;
  for (const [at, message] of before.entries()) {
    const next = after[at];
    if (next !== undefined && next !== message) saved += countMessage(message) - countMessage(next);
  }
  return Math.max(0, saved);
}
