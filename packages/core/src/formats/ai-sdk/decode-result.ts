import type { OtherPart, ToolResultPart } from "../../message/part.ts";
import { textParts, unknownBlock } from "../block-parts.ts";
import { toJsonText } from "../json-text.ts";
import { isWireObject } from "../wire-object.ts";
import { decodeMedia } from "./decode-media.ts";

type Content = ToolResultPart["content"][number];

export interface DecodedOutput {
  readonly content: readonly Content[];
  readonly isError: boolean;
}

/** Reads `output` of a tool result: `{ type, value }`, or any bare value as older versions and UI messages have it. */
export function decodeOutput(output: unknown): DecodedOutput {
  if (!isWireObject(output) || typeof output.type !== "string")
    return { content: valueContent(output), isError: false };
  switch (output.type) {
    case "text":
    case "json":
      return { content: valueContent(output.value), isError: false };
    case "error-text":
    case "error-json":
      return { content: valueContent(output.value), isError: true };
    case "execution-denied":
      return { content: valueContent(output.reason ?? "Tool execution was denied."), isError: true };
    case "content":
      if (Array.isArray(output.value)) return { content: output.value.map(decodeEntry), isError: false };
      return { content: valueContent(output.value), isError: false };
    default:
      return { content: valueContent(output), isError: false };
  }
}

function valueContent(value: unknown): Content[] {
  if (value === undefined) return [];
  if (typeof value === "string") return textParts(value);
  const text = toJsonText(value);
  return text === undefined ? [{ type: "other", kind: "json", value }] : [{ type: "text", text }];
}

function decodeEntry(entry: unknown): Content {
  if (!isWireObject(entry)) return { type: "other", kind: "json", value: entry } satisfies OtherPart;
  switch (entry.type) {
    case "text":
      return typeof entry.text === "string" ? { type: "text", text: entry.text, source: entry } : unknownBlock(entry);
    case "media":
    case "file":
    case "file-data":
      return decodeMedia(entry, entry.data, false);
    case "image-data":
      return decodeMedia(entry, entry.data, true);
    case "file-url":
      return decodeMedia(entry, entry.url, false);
    case "image-url":
      return decodeMedia(entry, entry.url, true);
    default:
      return unknownBlock(entry);
  }
}
