import { contentOf } from "./content-of.ts";
import type { AssistantStep, Draft, Piece, Result, Step } from "./draft.ts";
import { drawPng } from "./draw-png.ts";
import { signThought } from "./sign-thought.ts";
import type { WireObject } from "./to-openai-chat.ts";

/** The draft as AI SDK `ModelMessage`s. */
export function toAiSdk(draft: Draft): WireObject[] {
  const head: WireObject[] = draft.system === undefined ? [] : [{ role: "system", content: draft.system }];
  return [...head, ...draft.steps.flatMap(messagesOf)];
}

function messagesOf(step: Step): WireObject[] {
  switch (step.kind) {
    case "system":
      return [{ role: "system", content: step.text }];
    case "user":
      return [{ role: "user", content: contentOf(step.pieces, blockOf) }];
    case "assistant":
      return [{ role: "assistant", content: assistantContent(step) }];
    case "results": {
      const results: WireObject[] = [{ role: "tool", content: step.results.map(resultBlock) }];
      return step.words === undefined ? results : [...results, { role: "user", content: step.words }];
    }
  }
}

function assistantContent(step: AssistantStep): string | WireObject[] {
  const thoughts = (step.thoughts ?? []).map((thought) =>
    "text" in thought
      ? {
          type: "reasoning",
          text: thought.text,
          providerOptions: { anthropic: { signature: signThought(thought.text) } },
        }
      : { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: thought.opaque } } },
  );
  const hosted = (step.hosted ?? []).flatMap((call) => [
    {
      type: "tool-call",
      toolCallId: call.id,
      toolName: "web_search",
      input: { query: call.query },
      providerExecuted: true,
    },
    {
      type: "tool-result",
      toolCallId: call.id,
      toolName: "web_search",
      output: { type: "json", value: [{ url: call.url, title: call.title }] },
    },
  ]);
  const calls = step.calls.map((call) => ({
    type: "tool-call",
    toolCallId: call.id,
    toolName: call.name,
    input: parsedInput(call.input),
  }));
  if (thoughts.length + hosted.length + calls.length === 0) return contentOf(step.pieces, blockOf);
  return [...thoughts, ...step.pieces.map(blockOf), ...hosted, ...calls];
}

function parsedInput(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function resultBlock(result: Result): WireObject {
  const text = result.pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("\n");
  const hasImage = result.pieces.some((piece) => piece.kind === "image");
  const value = result.pieces.map((piece) =>
    piece.kind === "text"
      ? { type: "text", text: piece.text }
      : { type: "image-data", data: drawPng(piece.width, piece.height), mediaType: "image/png" },
  );
  return {
    type: "tool-result",
    toolCallId: result.callId,
    toolName: result.name,
    output: hasImage
      ? { type: "content", value }
      : { type: result.isError === true ? "error-text" : "text", value: text },
  };
}

function blockOf(piece: Piece): WireObject {
  switch (piece.kind) {
    case "text":
      return { type: "text", text: piece.text };
    case "image":
      return piece.url === undefined
        ? { type: "image", image: drawPng(piece.width, piece.height), mediaType: "image/png" }
        : { type: "image", image: piece.url };
    case "file":
      return {
        type: "file",
        data: Buffer.from(piece.text).toString("base64"),
        filename: piece.name,
        mediaType: "text/plain",
      };
    case "unknown":
      return { type: piece.type, ...piece.value };
  }
}
