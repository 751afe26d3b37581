import type { FilePart, ImagePart, OtherPart, Part, TextPart } from "../message/part.ts";
import { fromDataUrl, toDataUrl } from "./data-url.ts";
import { stringField, type WireObject } from "./wire-object.ts";

/** Content that is a plain string, as parts. */
export function textParts(content: string): TextPart[] {
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** The words, where parts are one text that had no block of its own: they leave as a plain string. */
export function onlyText(parts: readonly Part[]): string | undefined {
  const only = parts[0];
  return parts.length === 1 && only?.type === "text" && only.source === undefined ? only.text : undefined;
}

/** A text block; a string says what is wrong with it. */
export function textBlock(block: WireObject): TextPart | string {
  return typeof block.text === "string" ? { type: "text", text: block.text, source: block } : "has no text";
}

/** A block with no form of its own here: it travels as it is. */
export function unknownBlock(block: WireObject, kind = stringField(block, "type") ?? "unknown"): OtherPart {
  return { type: "other", kind, value: block, source: block };
}

const details: ReadonlySet<unknown> = new Set<ImagePart["detail"]>(["low", "high", "auto", "original"]);

/** An image as OpenAI writes it, at an address that may hold all of it, or by id. A `detail` nobody knows is left out. */
export function imageAt(
  place: { readonly url: string } | { readonly fileId: string },
  detail: unknown,
  source: WireObject,
): ImagePart {
  const known = details.has(detail) ? { detail: detail as NonNullable<ImagePart["detail"]> } : {};
  const inline = "url" in place ? fromDataUrl(place.url) : undefined;
  return { type: "image", ...(inline ?? place), ...known, source };
}

/** The address of an image, with all of it in it where that is at hand. */
export function imageUrl({ data, url = "", mediaType = "image/png" }: ImagePart): string {
  return data === undefined ? url : toDataUrl(mediaType, data);
}

/** OpenAI's `file_data`, both ways: a data URL, or bare base64. */
export function fromFileData(file: WireObject): Pick<FilePart, "data" | "mediaType"> {
  const data = stringField(file, "file_data");
  return data === undefined ? {} : (fromDataUrl(data) ?? { data });
}

export function toFileData({ data, mediaType }: FilePart): string | undefined {
  return data === undefined || mediaType === undefined ? data : toDataUrl(mediaType, data);
}
