import type { Message, Part } from "@midfold/core";
import type { AssistantStep, Call, Draft, Piece, Result, Step, Thought } from "./draft.ts";
import { drawPng } from "./draw-png.ts";
import { signThought } from "./sign-thought.ts";

/**
 * How the neutral messages are cut, after the wire formats they may come from: `separate` results one message each
 * (OpenAI chat), `grouped` results together (Anthropic, AI SDK), `items` every part its own message (Responses).
 */
export type MessageShape = "separate" | "grouped" | "items";

export interface ToMessagesOptions {
  readonly shape?: MessageShape;
  /** Put the system prompt at the head of the list (default), or leave it out because it travels beside the list. */
  readonly system?: "head" | "beside";
}

export function toMessages(draft: Draft, { shape = "separate", system = "head" }: ToMessagesOptions = {}): Message[] {
  const messages: Message[] = [];
  if (draft.system !== undefined && system === "head") messages.push(said("system", draft.system));
  for (const step of draft.steps) messages.push(...messagesOf(step, shape));
  return messages;
}

function messagesOf(step: Step, shape: MessageShape): Message[] {
  switch (step.kind) {
    case "system":
      return [said("system", step.text)];
    case "user":
      return [{ role: "user", parts: step.pieces.map(partOf), ...pin(step) }];
    case "assistant":
      return assistantMessages(step, shape);
    case "results": {
      const parts = step.results.map(resultPart);
      if (shape !== "grouped") {
        const results = parts.map((part): Message => ({ role: "tool", parts: [part] }));
        return step.words === undefined ? results : [...results, said("user", step.words)];
      }
      if (step.words === undefined) return [{ role: "tool", parts }];
      return [{ role: "user", parts: [...parts, { type: "text", text: step.words }] }];
    }
  }
}

function assistantMessages(step: AssistantStep, shape: MessageShape): Message[] {
  const thoughts = (step.thoughts ?? []).map(reasoningPart);
  const words = step.pieces.map(partOf);
  const hosted = (step.hosted ?? []).flatMap((call): Part[] => [
    { type: "tool-call", id: call.id, name: "web_search", input: JSON.stringify({ query: call.query }), hosted: true },
    {
      type: "tool-result",
      callId: call.id,
      content: [{ type: "text", text: `${call.title} ${call.url}` }],
      hosted: true,
    },
  ]);
  const calls = step.calls.map(callPart);
  if (shape !== "items") {
    return [{ role: "assistant", parts: [...thoughts, ...words, ...hosted, ...calls], ...pin(step) }];
  }
  const groups: Part[][] = [...thoughts.map((part) => [part])];
  if (words.length > 0 || calls.length + hosted.length === 0) groups.push(words);
  for (let index = 0; index < hosted.length; index += 2) groups.push(hosted.slice(index, index + 2));
  groups.push(...calls.map((part) => [part]));
  return groups.map((parts) => ({ role: "assistant", parts, ...pin(step) }));
}

const pin = (step: { readonly pinned?: boolean }) => (step.pinned === true ? { pinned: true } : {});

const said = (role: "system" | "user", text: string): Message => ({ role, parts: [{ type: "text", text }] });

export function reasoningPart(thought: Thought): Part {
  return "text" in thought
    ? { type: "reasoning", text: thought.text, signature: signThought(thought.text) }
    : { type: "reasoning", text: "", opaque: thought.opaque };
}

function callPart(call: Call): Part {
  return {
    type: "tool-call",
    id: call.id,
    name: call.name,
    input: call.input,
    ...(call.custom === true ? { custom: true } : {}),
  };
}

function resultPart(result: Result): Part {
  return {
    type: "tool-result",
    callId: result.callId,
    name: result.name,
    content: result.pieces.map((piece) =>
      piece.kind === "text" ? ({ type: "text", text: piece.text } as const) : imagePart(piece),
    ),
    ...(result.isError === true ? { isError: true } : {}),
    ...(result.custom === true ? { custom: true } : {}),
  };
}

function partOf(piece: Piece): Part {
  switch (piece.kind) {
    case "text":
      return { type: "text", text: piece.text };
    case "image":
      return imagePart(piece);
    case "file":
      return {
        type: "file",
        name: piece.name,
        mediaType: "text/plain",
        text: piece.text,
        bytes: Buffer.byteLength(piece.text),
      };
    case "unknown":
      return { type: "other", kind: piece.type, value: { type: piece.type, ...piece.value } };
  }
}

function imagePart(piece: Extract<Piece, { kind: "image" }>) {
  const { width, height } = piece;
  if (piece.url !== undefined) return { type: "image", url: piece.url } as const;
  return { type: "image", mediaType: "image/png", data: drawPng(width, height), width, height } as const;
}
