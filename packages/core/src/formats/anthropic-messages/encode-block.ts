import type { FilePart, ImagePart, Part, ReasoningPart, ToolResultPart } from "../../message/part.ts";
import { fromArgumentText, toJsonText } from "../json-text.ts";

export function encodeBlock(part: Part): unknown {
  if (part.source !== undefined) return part.source;
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", source: encodeImageSource(part) };
    case "file":
      return encodeDocument(part);
    case "reasoning":
      return encodeReasoning(part);
    case "tool-call":
      return {
        type: part.hosted === true ? "server_tool_use" : "tool_use",
        id: part.id,
        name: part.name,
        // Free text has no place in `tool_use`, so a custom tool's input travels under one well-known key.
        input: part.custom === true ? { input: part.input } : fromArgumentText(part.input),
      };
    case "tool-result":
      return encodeResult(part);
    case "other":
      return typeof part.value === "object" && part.value !== null
        ? part.value
        : { type: "text", text: typeof part.value === "string" ? part.value : (toJsonText(part.value) ?? "") };
  }
}

function encodeImageSource(part: ImagePart): unknown {
  if (part.data !== undefined) {
    return { type: "base64", media_type: part.mediaType ?? "image/png", data: part.data };
  }
  if (part.fileId !== undefined) return { type: "file", file_id: part.fileId };
  return { type: "url", url: part.url ?? "" };
}

function encodeDocument(part: FilePart): unknown {
  const title = part.name === undefined ? {} : { title: part.name };
  return { type: "document", source: encodeDocumentSource(part), ...title };
}

function encodeDocumentSource(part: FilePart): unknown {
  if (part.text !== undefined) return { type: "text", media_type: "text/plain", data: part.text };
  if (part.data !== undefined) {
    return { type: "base64", media_type: part.mediaType ?? "application/pdf", data: part.data };
  }
  if (part.fileId !== undefined) return { type: "file", file_id: part.fileId };
  if (part.url !== undefined) return { type: "url", url: part.url };
  return { type: "text", media_type: "text/plain", data: part.name ?? "" };
}

function encodeReasoning(part: ReasoningPart): unknown {
  if (part.opaque !== undefined && part.text === "") return { type: "redacted_thinking", data: part.opaque };
  return { type: "thinking", thinking: part.text, signature: part.signature ?? "" };
}

function encodeResult(part: ToolResultPart): unknown {
  const only = part.content[0];
  const isOneText = part.content.length === 1 && only?.type === "text" && only.source === undefined;
  const type = part.hosted === true ? `${part.name ?? "mcp"}_tool_result` : "tool_result";
  // A hosted result whose content is one object rather than a list of blocks is named after its block.
  const isValue = only?.type === "other" && only.source === undefined && only.kind === type;
  const content = isOneText ? only.text : isValue ? only.value : part.content.map(encodeBlock);
  return {
    type,
    tool_use_id: part.callId,
    ...(part.content.length === 0 ? {} : { content }),
    ...(part.isError === true ? { is_error: true } : {}),
  };
}
