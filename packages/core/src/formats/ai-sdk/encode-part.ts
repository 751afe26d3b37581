import type { FilePart, ImagePart, Part, ReasoningPart, ToolResultPart } from "../../message/part.ts";
import { onlyText } from "../block-parts.ts";
import { defined } from "../defined.ts";
import { encodeOther, fromJsonText } from "../json-text.ts";

export function encodePart(part: Part): unknown {
  if (part.source !== undefined) return part.source;
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return defined({ type: "image", image: placeOf(part), mediaType: part.mediaType });
    case "file":
      return encodeFile(part);
    case "reasoning":
      return encodeReasoning(part, "providerOptions");
    case "tool-call":
      return defined({
        type: "tool-call",
        toolCallId: part.id,
        toolName: part.name,
        input: part.custom === true ? part.input : fromJsonText(part.input),
        providerExecuted: part.hosted === true || undefined,
      });
    case "tool-result":
      return {
        type: "tool-result",
        toolCallId: part.callId,
        toolName: part.name ?? "",
        output: encodeOutput(part),
      };
    case "other":
      return encodeOther(part.value);
  }
}

export function encodeReasoning(part: ReasoningPart, field: "providerOptions" | "providerMetadata"): unknown {
  const block = { type: "reasoning", text: part.text };
  if (part.signature !== undefined) return { ...block, [field]: { anthropic: { signature: part.signature } } };
  if (part.opaque === undefined) return block;
  const options =
    part.text === ""
      ? { anthropic: { redactedData: part.opaque } }
      : { openai: { reasoningEncryptedContent: part.opaque } };
  return { ...block, [field]: options };
}

function encodeOutput(part: ToolResultPart): unknown {
  const value = part.content.length === 0 ? "" : onlyText(part.content);
  if (value !== undefined) return { type: part.isError === true ? "error-text" : "text", value };
  return { type: "content", value: part.content.map(encodeEntry) };
}

function encodeEntry(part: ToolResultPart["content"][number]): unknown {
  if (part.source !== undefined) return part.source;
  if (part.type === "image") {
    return part.data === undefined
      ? { type: "image-url", url: part.url ?? "" }
      : { type: "image-data", data: part.data, mediaType: part.mediaType ?? "image/png" };
  }
  return encodePart(part);
}

function encodeFile(part: FilePart): unknown {
  return defined({
    type: "file",
    data: part.text === undefined ? placeOf(part) : { type: "text", text: part.text },
    mediaType: part.mediaType ?? (part.text === undefined ? "application/octet-stream" : "text/plain"),
    filename: part.name,
  });
}

function placeOf(part: ImagePart | FilePart): unknown {
  if (part.fileId !== undefined) return { type: "reference", reference: { midfold: part.fileId } };
  return part.data ?? part.url ?? "";
}
