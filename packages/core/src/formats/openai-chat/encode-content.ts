import type { FilePart, ImagePart, Part } from "../../message/part.ts";
import { toDataUrl } from "../data-url.ts";
import { toJsonText } from "../json-text.ts";

/** Writes parts as chat `content`: one plain text as a string, anything else as blocks. */
export function encodeContent(parts: readonly Part[], wasBlocks: boolean): string | unknown[] {
  const only = parts[0];
  if (parts.length === 1 && only?.type === "text" && only.source === undefined && !wasBlocks) return only.text;
  return parts.map(encodeBlock);
}

function encodeBlock(part: Part): unknown {
  if (part.source !== undefined) return part.source;
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image_url", image_url: encodeImage(part) };
    case "file":
      return encodeFile(part);
    case "other":
      return typeof part.value === "object" && part.value !== null ? part.value : asText(part.value);
    default:
      return asText(part);
  }
}

function encodeImage(part: ImagePart): unknown {
  const url = part.data === undefined ? (part.url ?? "") : toDataUrl(part.mediaType ?? "image/png", part.data);
  return part.detail === undefined ? { url } : { url, detail: part.detail };
}

function encodeFile(part: FilePart): unknown {
  if (part.text !== undefined) return { type: "text", text: part.text };
  if (part.mediaType?.startsWith("audio/") && part.data !== undefined) {
    return { type: "input_audio", input_audio: { data: part.data, format: part.mediaType.slice("audio/".length) } };
  }
  const { name, fileId, data } = part;
  if (data === undefined && fileId === undefined) return { type: "text", text: part.url ?? name ?? "" };
  return {
    type: "file",
    file: {
      ...(name === undefined ? {} : { filename: name }),
      ...(fileId === undefined ? {} : { file_id: fileId }),
      ...(data === undefined
        ? {}
        : { file_data: part.mediaType === undefined ? data : toDataUrl(part.mediaType, data) }),
    },
  };
}

function asText(value: unknown): unknown {
  return { type: "text", text: toJsonText(value) ?? "" };
}
