import type { FormatName, Message } from "@midfold/core";
import fc from "fast-check";
import { arbitraryDraft } from "./arbitrary-draft.ts";
import { contentOf } from "./content-of.ts";
import type { ConversationOptions } from "./conversation-options.ts";
import type { AssistantStep, Draft, Piece, Step } from "./draft.ts";
import { drawPng } from "./draw-png.ts";
import { sealThought } from "./sign-thought.ts";
import { toAiSdk } from "./to-ai-sdk.ts";
import { toAnthropicMessages } from "./to-anthropic-messages.ts";
import { type MessageShape, toMessages } from "./to-messages.ts";
import { toOpenaiChat, type WireObject } from "./to-openai-chat.ts";

export interface NeutralOptions extends ConversationOptions {
  /** How results and parts are cut into messages; all three ways when absent. */
  readonly shape?: MessageShape;
}

/** A conversation in the neutral model, as any of the formats would have decoded it (without `source`). */
export function arbitraryConversation(options: NeutralOptions = {}): fc.Arbitrary<Message[]> {
  const shape =
    options.shape === undefined
      ? fc.constantFrom<MessageShape>("separate", "grouped", "items")
      : fc.constant(options.shape);
  return fc.tuple(arbitraryDraft(options), shape).map(([draft, chosen]) => toMessages(draft, { shape: chosen }));
}

/** A conversation as one wire format carries it: the list, and the system prompt where it travels beside the list. */
export interface WireConversation {
  readonly format: FormatName;
  readonly system?: string;
  readonly messages: WireObject[];
}

export function arbitraryWireConversation(
  format: FormatName,
  options: ConversationOptions = {},
): fc.Arbitrary<WireConversation> {
  return arbitraryDraft(fitSwitches(format, options)).map((draft) => writeWire(format, draft));
}

/** The draft in the given wire format. */
export function writeWire(format: FormatName, draft: Draft): WireConversation {
  switch (format) {
    case "openai-chat":
      return { format, messages: toOpenaiChat(draft) };
    case "anthropic-messages":
      return { format, ...toAnthropicMessages(draft) };
    case "ai-sdk":
      return { format, messages: toAiSdk(draft) };
    case "langchain":
      return { format, messages: toLangchain(draft) };
    case "openai-responses": {
      const { instructions, input } = toOpenaiResponses(draft);
      return instructions === undefined
        ? { format, messages: input }
        : { format, system: instructions, messages: input };
    }
  }
}

/** What "valid" excludes differs by provider: Anthropic has no free-text tools and, by default, no later system turns. */
function fitSwitches(format: FormatName, options: ConversationOptions): ConversationOptions {
  if (options.valid !== true) return options;
  const narrower =
    format === "anthropic-messages" || format === "ai-sdk" ? { laterSystem: false, customTools: false } : {};
  return { ...options, switches: { ...narrower, ...options.switches } };
}

const types: Readonly<Record<string, string>> = {
  system: "system",
  developer: "system",
  user: "human",
  assistant: "ai",
  tool: "tool",
};

/** The draft as LangGraph sends its messages: `{ type: "human", content }`. */
function toLangchain(draft: Draft): WireObject[] {
  return toOpenaiChat(draft).map(({ role, tool_calls, ...rest }) => ({
    type: types[String(role)]!,
    ...rest,
    content: rest.content ?? "",
    ...(Array.isArray(tool_calls) ? { tool_calls: tool_calls.map(toCall) } : {}),
  }));
}

interface ChatCall {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: string };
  readonly custom?: { readonly name: string; readonly input: string };
}

function toCall({ id, function: called, custom }: ChatCall): WireObject {
  return {
    type: "tool_call",
    id,
    name: (called ?? custom)!.name,
    args: argsOf(called?.arguments ?? custom?.input ?? ""),
  };
}

function argsOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {}
  return { input: text };
}

interface ResponsesConversation {
  readonly instructions?: string;
  readonly input: WireObject[];
}

/** The draft as an OpenAI Responses `input` list: every message, call, result and thought its own item. */
function toOpenaiResponses(draft: Draft): ResponsesConversation {
  let serial = 0;
  const input = draft.steps.flatMap((step) => itemsOf(step, () => serial++));
  return draft.system === undefined ? { input } : { instructions: draft.system, input };
}

function itemsOf(step: Step, nextSerial: () => number): WireObject[] {
  switch (step.kind) {
    case "system":
      return [{ type: "message", role: "developer", content: [{ type: "input_text", text: step.text }] }];
    case "user":
      return [{ type: "message", role: "user", content: step.pieces.map(blockOf) }];
    case "assistant":
      return assistantItems(step, nextSerial);
    case "results": {
      const results: WireObject[] = step.results.map((result) => ({
        type: result.custom === true ? "custom_tool_call_output" : "function_call_output",
        call_id: result.callId,
        output: contentOf(result.pieces, blockOf),
      }));
      if (step.words === undefined) return results;
      return [...results, { type: "message", role: "user", content: [{ type: "input_text", text: step.words }] }];
    }
  }
}

function assistantItems(step: AssistantStep, nextSerial: () => number): WireObject[] {
  const items: WireObject[] = (step.thoughts ?? []).map((thought) => ({
    type: "reasoning",
    id: `rs_${nextSerial()}`,
    summary: "text" in thought ? [{ type: "summary_text", text: thought.text }] : [],
    encrypted_content: "opaque" in thought ? thought.opaque : sealThought(thought.text),
  }));
  const calls = step.calls.length + (step.hosted?.length ?? 0);
  if (step.pieces.length > 0 || calls === 0) {
    const content = step.pieces.map((piece) =>
      piece.kind === "text" ? { type: "output_text", text: piece.text, annotations: [] } : blockOf(piece),
    );
    items.push({ type: "message", role: "assistant", id: `msg_${nextSerial()}`, status: "completed", content });
  }
  for (const call of step.hosted ?? []) {
    const action = { type: "search", query: call.query };
    items.push({ type: "web_search_call", id: `ws_${nextSerial()}`, status: "completed", action });
  }
  for (const call of step.calls) {
    items.push(
      call.custom === true
        ? { type: "custom_tool_call", call_id: call.id, name: call.name, input: call.input }
        : { type: "function_call", call_id: call.id, name: call.name, arguments: call.input },
    );
  }
  return items;
}

function blockOf(piece: Piece): WireObject {
  switch (piece.kind) {
    case "text":
      return { type: "input_text", text: piece.text };
    case "image":
      return {
        type: "input_image",
        detail: "auto",
        image_url: piece.url ?? `data:image/png;base64,${drawPng(piece.width, piece.height)}`,
      };
    case "file":
      return {
        type: "input_file",
        filename: piece.name,
        file_data: `data:text/plain;base64,${Buffer.from(piece.text).toString("base64")}`,
      };
    case "unknown":
      return { type: piece.type, ...piece.value };
  }
}
