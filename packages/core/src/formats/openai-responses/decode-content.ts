import type { FilePart, ImagePart, OtherPart, TextPart } from "../../message/part.ts";
import { fromDataUrl } from "../data-url.ts";
import { imageDetail } from "../image-detail.ts";
import { describeValue, isWireObject, stringField, type WireObject } from "../wire-object.ts";

export type ContentPart = TextPart | ImagePart | FilePart | OtherPart;

/** Reads the content of a message item or the output of a tool; a string says what is wrong with it. */
export function decodeContent(content: unknown): ContentPart[] | string {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return `must be a string or an array of parts, not ${describeValue(content)}`;
  const parts: ContentPart[] = [];
  for (let index = 0; index < content.length; index++) {
    const block: unknown = content[index];
    if (!isWireObject(block)) return `has a part [${index}] that is ${describeValue(block)} instead of an object`;
    if (typeof block.type !== "string") return `has a part [${index}] without a type`;
    const part = decodeBlock(block, block.type);
    if (part === undefined) return `has a part [${index}] of type "${block.type}" without its value`;
    parts.push(part);
  }
  return parts;
}

function decodeBlock(block: WireObject, type: string): ContentPart | undefined {
  switch (type) {
    case "input_text":
    case "output_text":
    case "text":
      return typeof block.text === "string" ? { type: "text", text: block.text, source: block } : undefined;
    case "input_image":
    case "computer_screenshot":
      return decodeImage(block, type);
    case "input_file":
      return decodeFile(block);
    default:
      return { type: "other", kind: type, value: block, source: block };
  }
}

export function decodeImage(block: WireObject, kind: string): ImagePart | OtherPart {
  const known = imageDetail(block.detail);
  if (typeof block.image_url === "string") {
    const inline = fromDataUrl(block.image_url);
    if (inline === undefined) return { type: "image", url: block.image_url, ...known, source: block };
    return { type: "image", mediaType: inline.mediaType, data: inline.data, ...known, source: block };
  }
  if (typeof block.file_id === "string") return { type: "image", fileId: block.file_id, ...known, source: block };
  return { type: "other", kind, value: block, source: block };
}

function decodeFile(block: WireObject): FilePart {
  const name = stringField(block, "filename");
  const fileId = stringField(block, "file_id");
  const url = stringField(block, "file_url");
  const data = stringField(block, "file_data");
  const inline = data === undefined ? undefined : fromDataUrl(data);
  return {
    type: "file",
    ...(name === undefined ? {} : { name }),
    ...(fileId === undefined ? {} : { fileId }),
    ...(url === undefined ? {} : { url }),
    ...(inline ?? (data === undefined ? {} : { data })),
    source: block,
  };
}
