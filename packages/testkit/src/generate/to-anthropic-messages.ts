import { contentOf } from "./content-of.ts";
import type { AssistantStep, Draft, Piece, Step } from "./draft.ts";
import { drawPng } from "./draw-png.ts";
import { signThought } from "./sign-thought.ts";
import type { WireObject } from "./to-openai-chat.ts";

export interface AnthropicConversation {
  readonly system?: string;
  readonly messages: WireObject[];
}

/** The draft as an Anthropic Messages conversation: the system prompt beside the list, results grouped. */
export function toAnthropicMessages(draft: Draft): AnthropicConversation {
  const messages = draft.steps.map(messageOf);
  return draft.system === undefined ? { messages } : { system: draft.system, messages };
}

function messageOf(step: Step): WireObject {
  switch (step.kind) {
    case "system":
      return { role: "system", content: [{ type: "text", text: step.text }] };
    case "user":
      return { role: "user", content: contentOf(step.pieces, blockOf) };
    case "assistant":
      return { role: "assistant", content: assistantContent(step) };
    case "results": {
      const blocks: WireObject[] = step.results.map((result) => ({
        type: "tool_result",
        tool_use_id: result.callId,
        content: contentOf(result.pieces, blockOf),
        ...(result.isError === true ? { is_error: true } : {}),
      }));
      if (step.words !== undefined) blocks.push({ type: "text", text: step.words });
      return { role: "user", content: blocks };
    }
  }
}

function assistantContent(step: AssistantStep): string | WireObject[] {
  const thoughts = (step.thoughts ?? []).map((thought) =>
    "text" in thought
      ? { type: "thinking", thinking: thought.text, signature: signThought(thought.text) }
      : { type: "redacted_thinking", data: thought.opaque },
  );
  const hosted = (step.hosted ?? []).flatMap((call) => [
    { type: "server_tool_use", id: call.id, name: "web_search", input: { query: call.query } },
    {
      type: "web_search_tool_result",
      tool_use_id: call.id,
      content: [{ type: "web_search_result", url: call.url, title: call.title, encrypted_content: "c2VhbGVk" }],
    },
  ]);
  const calls = step.calls.map((call) => ({
    type: "tool_use",
    id: call.id,
    name: call.name,
    input: inputOf(call.input),
  }));
  const around = [...hosted, ...calls];
  if (thoughts.length + around.length === 0) return contentOf(step.pieces, blockOf);
  return [...thoughts, ...step.pieces.map(blockOf), ...around];
}

/** Anthropic has no free-text tools: their input travels as one string field. */
function inputOf(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return { input };
  }
}

function blockOf(piece: Piece): WireObject {
  switch (piece.kind) {
    case "text":
      return { type: "text", text: piece.text };
    case "image":
      return {
        type: "image",
        source:
          piece.url === undefined
            ? { type: "base64", media_type: "image/png", data: drawPng(piece.width, piece.height) }
            : { type: "url", url: piece.url },
      };
    case "file":
      return {
        type: "document",
        title: piece.name,
        source: { type: "text", media_type: "text/plain", data: piece.text },
      };
    case "unknown":
      return { type: piece.type, ...piece.value };
  }
}
