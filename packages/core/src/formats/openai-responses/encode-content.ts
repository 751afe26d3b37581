import type { FilePart, ImagePart, Part } from "../../message/part.ts";
import { toDataUrl } from "../data-url.ts";
import { toJsonText } from "../json-text.ts";

type TextType = "input_text" | "output_text";

/** Writes parts as item content: one plain text as a string unless it was blocks before. */
export function encodeContent(parts: readonly Part[], textType: TextType, before: unknown): unknown {
  const only = parts[0];
  if (only === undefined) return Array.isArray(before) ? [] : (before ?? "") === "" ? (before ?? "") : "";
  if (parts.length === 1 && only.type === "text" && only.source === undefined && !Array.isArray(before)) {
    return only.text;
  }
  return parts.map((part) => encodeBlock(part, textType));
}

export function encodeBlock(part: Part, textType: TextType): unknown {
  if (part.source !== undefined) return part.source;
  switch (part.type) {
    case "text":
      return encodeText(part.text, textType);
    case "image":
      return encodeImage(part);
    case "file":
      return encodeFile(part);
    case "other":
      if (typeof part.value === "object" && part.value !== null) return part.value;
      return encodeText(typeof part.value === "string" ? part.value : (toJsonText(part.value) ?? ""), textType);
    default:
      return encodeText(toJsonText(part) ?? "", textType);
  }
}

function encodeText(text: string, type: TextType): unknown {
  return type === "output_text" ? { type, text, annotations: [] } : { type, text };
}

function encodeImage(part: ImagePart): unknown {
  const detail = part.detail ?? "auto";
  if (part.data === undefined && part.url === undefined && part.fileId !== undefined) {
    return { type: "input_image", detail, file_id: part.fileId };
  }
  const url = part.data === undefined ? (part.url ?? "") : toDataUrl(part.mediaType ?? "image/png", part.data);
  return { type: "input_image", detail, image_url: url };
}

function encodeFile(part: FilePart): unknown {
  if (part.text !== undefined) return { type: "input_text", text: part.text };
  const { name, fileId, url, data } = part;
  if (fileId === undefined && url === undefined && data === undefined) return { type: "input_text", text: name ?? "" };
  return {
    type: "input_file",
    ...(name === undefined ? {} : { filename: name }),
    ...(fileId === undefined ? {} : { file_id: fileId }),
    ...(url === undefined ? {} : { file_url: url }),
    ...(data === undefined ? {} : { file_data: part.mediaType === undefined ? data : toDataUrl(part.mediaType, data) }),
  };
}
