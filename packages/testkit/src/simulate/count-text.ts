import { get_encoding } from "tiktoken";
import { asArray, isObject, type JsonObject } from "./json.ts";

/**
 * Counts with OpenAI's own tables through an implementation that shares no code with Midfold, so that a mistake in
 * Midfold's counting shows up as an overflow here.
 */
const encoding = get_encoding("o200k_base");
const known = new Map<string, number>();
const mostKnown = 20_000;

export function countText(text: string): number {
  if (text === "") return 0;
  const before = known.get(text);
  if (before !== undefined) return before;
  const tokens = encoding.encode_ordinary(text).length;
  if (known.size >= mostKnown) known.clear();
  known.set(text, tokens);
  return tokens;
}

/** The size of a PNG, read from its header; undefined for anything else. */
export function pngSize(base64: string): { readonly width: number; readonly height: number } | undefined {
  const bytes = Buffer.from(base64.slice(0, 64), "base64");
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** OpenAI's tiles: fit into 2048², shortest side to 768, then 512² tiles of 170 and a base of 85. */
function tiledImageTokens(base64: string | undefined): number {
  const size = (base64 === undefined ? undefined : pngSize(base64)) ?? { width: 1024, height: 1024 };
  const fit = Math.min(1, 2048 / Math.max(size.width, size.height));
  const shortest = Math.min(size.width, size.height) * fit;
  const scale = fit * Math.min(1, 768 / Math.max(1, shortest));
  const tiles = Math.ceil((size.width * scale) / 512) * Math.ceil((size.height * scale) / 512);
  return 85 + 170 * Math.max(1, tiles);
}

/** Claude's area rule: width × height ÷ 750 after fitting the longest edge into 1568. */
export function areaImageTokens(base64: string | undefined): number {
  const size = (base64 === undefined ? undefined : pngSize(base64)) ?? { width: 1024, height: 1024 };
  const fit = Math.min(1, 1568 / Math.max(size.width, size.height));
  return Math.min(1600, Math.ceil((size.width * fit * size.height * fit) / 750));
}

/** The text or the parts of a `content` field, as both of OpenAI's APIs write it. */
export function countContent(content: unknown, countPart: (part: JsonObject) => number): number {
  if (typeof content === "string") return countText(content);
  return asArray(content)
    .filter(isObject)
    .reduce((sum, part) => sum + countPart(part), 0);
}

/** A picture by its address: a data URL is looked into, any other counts as 1024². */
export function countImageUrl(url: string): number {
  return tiledImageTokens(url.startsWith("data:") ? url.slice(url.indexOf(",") + 1) : undefined);
}

/** A file by its data URL: text by its words, anything else at a fixed size. */
export function countFileData(dataUrl: string): number {
  const [head, base64 = ""] = dataUrl.split(",");
  return head?.startsWith("data:text/") ? 10 + countText(Buffer.from(base64, "base64").toString()) : 1_500;
}
