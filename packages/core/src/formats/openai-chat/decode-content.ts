import type { FilePart, ImagePart, OtherPart, TextPart } from "../../message/part.ts";
import { fromDataUrl } from "../data-url.ts";
import { imageDetail } from "../image-detail.ts";
import type { PartSink } from "../part-sink.ts";
import { describeValue, isWireObject, stringField, type WireObject } from "../wire-object.ts";

export type ContentPart = TextPart | ImagePart | FilePart | OtherPart;

/** Reads `content` of a chat message onto the end of `parts`; a string says what is wrong with it. */
export function decodeContent(content: unknown, parts: PartSink<ContentPart>): string | undefined {
  if (typeof content === "string") {
    if (content !== "") parts.push({ type: "text", text: content });
    return undefined;
  }
  if (content === null || content === undefined) return undefined;
  if (!Array.isArray(content)) return `content must be a string or an array of parts, not ${describeValue(content)}`;
  for (let index = 0; index < content.length; index++) {
    const block: unknown = content[index];
    if (!isWireObject(block)) return `content[${index}] must be an object, not ${describeValue(block)}`;
    if (typeof block.type !== "string") return `content[${index}] has no type`;
    const part = decodeBlock(block, block.type);
    if (typeof part === "string") return `content[${index}] of type "${block.type}" ${part}`;
    parts.push(part);
  }
  return undefined;
}

function decodeBlock(block: WireObject, type: string): ContentPart | string {
  switch (type) {
    case "text":
      return typeof block.text === "string" ? { type: "text", text: block.text, source: block } : "has no text";
    case "image_url":
      return decodeImage(block);
    case "file":
      return decodeFile(block);
    case "input_audio":
      return decodeAudio(block);
    default:
      return { type: "other", kind: type, value: block, source: block };
  }
}

function decodeImage(block: WireObject): ImagePart | string {
  const image = isWireObject(block.image_url) ? block.image_url : { url: block.image_url };
  if (typeof image.url !== "string") return "has no image_url.url";
  const known = imageDetail(image.detail);
  const inline = fromDataUrl(image.url);
  if (inline === undefined) return { type: "image", url: image.url, ...known, source: block };
  return { type: "image", mediaType: inline.mediaType, data: inline.data, ...known, source: block };
}

function decodeFile(block: WireObject): FilePart | OtherPart {
  const file = block.file;
  if (!isWireObject(file)) return { type: "other", kind: "file", value: block, source: block };
  const name = stringField(file, "filename");
  const fileId = stringField(file, "file_id");
  const data = stringField(file, "file_data");
  const inline = data === undefined ? undefined : fromDataUrl(data);
  return {
    type: "file",
    ...(name === undefined ? {} : { name }),
    ...(fileId === undefined ? {} : { fileId }),
    ...(inline ?? (data === undefined ? {} : { data })),
    source: block,
  };
}

function decodeAudio(block: WireObject): FilePart | OtherPart {
  const audio = block.input_audio;
  if (!isWireObject(audio) || typeof audio.data !== "string" || typeof audio.format !== "string") {
    return { type: "other", kind: "input_audio", value: block, source: block };
  }
  return { type: "file", mediaType: `audio/${audio.format}`, data: audio.data, source: block };
}
