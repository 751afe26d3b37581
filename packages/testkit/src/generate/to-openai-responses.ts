import { contentOf } from "./content-of.ts";
import type { AssistantStep, Draft, Piece, Step } from "./draft.ts";
import { drawPng } from "./draw-png.ts";
import { sealThought } from "./sign-thought.ts";
import type { WireObject } from "./to-openai-chat.ts";

export interface ResponsesConversation {
  readonly instructions?: string;
  readonly input: WireObject[];
}

/** The draft as an OpenAI Responses `input` list: every message, call, result and thought its own item. */
export function toOpenaiResponses(draft: Draft): ResponsesConversation {
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
