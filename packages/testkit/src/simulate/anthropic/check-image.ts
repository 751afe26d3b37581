import { pngSize } from "../count-text.ts";
import { asText, isObject, type JsonObject } from "../json.ts";
import { invalid, type Problem } from "../problem.ts";

const maxBytes = 5 * 1024 * 1024;
const mediaTypes: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** The size limits on images; with more than 20 of them in a request the limit on their edges is lower. */
export function checkImage(block: JsonObject, at: string, imagesInRequest: number): Problem | undefined {
  const source = block.source;
  if (!isObject(source)) return invalid(`${at}.source: Field required`);
  if (source.type === "url" || source.type === "file") return undefined;
  if (source.type !== "base64") {
    return invalid(
      `${at}.source: Input tag '${asText(source.type)}' found using 'type' does not match any of the expected tags: 'base64', 'file', 'url'`,
    );
  }
  const type = asText(source.media_type);
  if (!mediaTypes.includes(type)) {
    return invalid(
      `${at}.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
    );
  }
  const data = asText(source.data);
  const bytes = Buffer.byteLength(data);
  if (bytes > maxBytes) {
    return invalid(`${at}.source.base64: image exceeds 5 MB maximum: ${bytes} bytes > ${maxBytes} bytes`);
  }
  const size = pngSize(data);
  if (type === "image/png" && size === undefined) return invalid(`${at}.source.base64.data: Could not process image`);
  if (type !== "image/png" && size !== undefined) {
    return invalid(
      `${at}.source.base64: The image was specified using the ${type} media type, but the image appears to be a image/png image`,
    );
  }
  const edge = size === undefined ? 0 : Math.max(size.width, size.height);
  const many = imagesInRequest > 20;
  if (edge <= (many ? 2_000 : 8_000)) return undefined;
  const limit = many ? "for many-image requests: 2000 pixels" : "8000 pixels";
  return invalid(
    `${at}.source.base64.data: At least one of the image dimensions exceed max allowed size${many ? " " : ": "}${limit}`,
  );
}
