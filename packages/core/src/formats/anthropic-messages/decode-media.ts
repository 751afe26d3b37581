import type { FilePart, ImagePart, OtherPart } from "../../message/part.ts";
import { isWireObject, stringField, type WireObject } from "../wire-object.ts";

export function decodeImage(block: WireObject): ImagePart | OtherPart {
  const from = block.source;
  const unknown: OtherPart = { type: "other", kind: "image", value: block, source: block };
  if (!isWireObject(from)) return unknown;
  if (from.type === "base64" && typeof from.data === "string") {
    const mediaType = stringField(from, "media_type");
    return { type: "image", ...(mediaType === undefined ? {} : { mediaType }), data: from.data, source: block };
  }
  if (from.type === "url" && typeof from.url === "string") return { type: "image", url: from.url, source: block };
  if (typeof from.file_id === "string") return { type: "image", fileId: from.file_id, source: block };
  return unknown;
}

export function decodeDocument(block: WireObject): FilePart | OtherPart {
  const from = block.source;
  const where = isWireObject(from) ? documentPlace(from) : undefined;
  // A document made of content blocks has no neutral form of its own; it travels as it is.
  if (where === undefined) return { type: "other", kind: "document", value: block, source: block };
  const name = stringField(block, "title");
  return { type: "file", ...(name === undefined ? {} : { name }), ...where, source: block };
}

function documentPlace(from: WireObject): Partial<FilePart> | undefined {
  const mediaType = stringField(from, "media_type");
  const typed = mediaType === undefined ? {} : { mediaType };
  if (from.type === "base64" && typeof from.data === "string") return { ...typed, data: from.data };
  if (from.type === "text" && typeof from.data === "string") return { ...typed, text: from.data };
  if (from.type === "url" && typeof from.url === "string") return { url: from.url };
  if (typeof from.file_id === "string") return { fileId: from.file_id };
  return undefined;
}
