import { contentOf } from "./content-of.ts";
import type { AssistantStep, Draft, Piece, Step } from "./draft.ts";
import { drawPng } from "./draw-png.ts";

export type WireObject = Record<string, unknown>;

/** The draft as an OpenAI Chat Completions `messages` list. Reasoning appears as `reasoning_content`, where asked for. */
export function toOpenaiChat(draft: Draft, options: { readonly reasoningContent?: boolean } = {}): WireObject[] {
  const head: WireObject[] = draft.system === undefined ? [] : [{ role: "system", content: draft.system }];
  return [...head, ...draft.steps.flatMap((step) => messagesOf(step, options.reasoningContent === true))];
}

function messagesOf(step: Step, withReasoning: boolean): WireObject[] {
  switch (step.kind) {
    case "system":
      return [{ role: "system", content: step.text }];
    case "user":
      return [{ role: "user", content: contentOf(step.pieces, blockOf) }];
    case "assistant":
      return [assistantMessage(step, withReasoning)];
    case "results": {
      const results = step.results.map((result) => ({
        role: "tool",
        tool_call_id: result.callId,
        // Chat tool messages carry text only.
        content: result.pieces.map((piece) => (piece.kind === "text" ? piece.text : "[image]")).join("\n"),
      }));
      return step.words === undefined ? results : [...results, { role: "user", content: step.words }];
    }
  }
}

function assistantMessage(step: AssistantStep, withReasoning: boolean): WireObject {
  const text = step.pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("");
  const message: WireObject = { role: "assistant", content: text === "" && step.calls.length > 0 ? null : text };
  const thought = (step.thoughts ?? []).map((each) => ("text" in each ? each.text : "")).join("\n");
  if (withReasoning && thought !== "") message.reasoning_content = thought;
  if (step.calls.length > 0) {
    message.tool_calls = step.calls.map((call) =>
      call.custom === true
        ? { id: call.id, type: "custom", custom: { name: call.name, input: call.input } }
        : { id: call.id, type: "function", function: { name: call.name, arguments: call.input } },
    );
  }
  return message;
}

function blockOf(piece: Piece): WireObject {
  switch (piece.kind) {
    case "text":
      return { type: "text", text: piece.text };
    case "image":
      return {
        type: "image_url",
        image_url: { url: piece.url ?? `data:image/png;base64,${drawPng(piece.width, piece.height)}` },
      };
    case "file":
      return {
        type: "file",
        file: {
          filename: piece.name,
          file_data: `data:text/plain;base64,${Buffer.from(piece.text).toString("base64")}`,
        },
      };
    case "unknown":
      return { type: piece.type, ...piece.value };
  }
}
