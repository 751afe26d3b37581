import type { FilePart, ImagePart } from "../../message/part.ts";
import { fromDataUrl } from "../data-url.ts";
import { defined } from "../defined.ts";
import { isWireObject, stringField, type WireObject } from "../wire-object.ts";

/**
 * An image or file part from any of the AI SDK's spellings. Binary data (a Uint8Array) has no neutral form: its size is
 * noted and the block itself travels on.
 */
export function decodeMedia(block: WireObject, data: unknown, isImage: boolean): ImagePart | FilePart {
  const mediaType = stringField(block, "mediaType") ?? stringField(block, "mimeType");
  const name = stringField(block, "filename");
  const place = placeOf(data, mediaType);
  const typed = place.mediaType ?? mediaType;
  const { bytes, text, ...where } = place;
  if (isImage || typed?.startsWith("image/") === true) {
    return defined({ type: "image", mediaType: typed, ...where, source: block });
  }
  return defined({ type: "file", name, mediaType: typed, ...where, text, bytes, source: block });
}

interface Place {
  readonly mediaType?: string;
  readonly data?: string;
  readonly url?: string;
  readonly text?: string;
  readonly fileId?: string;
  readonly bytes?: number;
}

function placeOf(data: unknown, mediaType: string | undefined): Place {
  if (typeof data === "string") {
    const inline = fromDataUrl(data);
    if (inline !== undefined) return { mediaType: mediaType ?? inline.mediaType, data: inline.data };
    return isUrl(data) ? { url: data } : { data };
  }
  if (data instanceof URL) return placeOf(data.href, mediaType);
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) return { bytes: data.byteLength };
  if (!isWireObject(data)) return {};
  if (data.type === "data") return placeOf(data.data, mediaType);
  if (data.type === "url") return placeOf(data.url, mediaType);
  if (data.type === "text") return typeof data.text === "string" ? { text: data.text } : {};
  const reference = data.type === "reference" && isWireObject(data.reference) ? data.reference : data;
  const fileId = Object.values(reference).find((value) => typeof value === "string");
  return typeof fileId === "string" ? { fileId } : {};
}

function isUrl(text: string): boolean {
  return (
    text.startsWith("https://") || text.startsWith("http://") || text.startsWith("data:") || text.startsWith("blob:")
  );
}
