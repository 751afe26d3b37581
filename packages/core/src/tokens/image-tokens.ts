import type { ImagePart } from "../message/part.ts";
import { readImageSize } from "./image-size.ts";

export type ImageRule =
  /** OpenAI's larger models: fit into 2048², shortest side to 768, then 512² tiles. */
  | { readonly kind: "tiles"; readonly base: number; readonly perTile: number }
  /** OpenAI's smaller models and several open ones: 32² patches, capped. */
  | { readonly kind: "patches"; readonly multiplier: number; readonly maxPatches: number }
  /** Claude: width × height ÷ 750 after fitting the longest edge. */
  | { readonly kind: "area"; readonly pixelsPerToken: number; readonly maxEdge: number; readonly maxTokens: number }
  /** Gemini: a fixed price per tile; an image with both sides up to `small` is one tile. */
  | { readonly kind: "fixed"; readonly tokens: number; readonly tile: number; readonly small: number };

interface Size {
  readonly width: number;
  readonly height: number;
}

/** What an image whose size nobody knows is taken for: the largest that providers do not scale down. */
const unknownSize: Size = { width: 1536, height: 1536 };

export function imageTokens(image: ImagePart, rule: ImageRule): number {
  const size = sizeOf(image) ?? unknownSize;
  switch (rule.kind) {
    case "tiles":
      return image.detail === "low" ? rule.base : rule.base + rule.perTile * tileCount(size);
    case "patches":
      return Math.ceil(patchCount(size, rule.maxPatches) * rule.multiplier);
    case "area": {
      const fit = Math.min(1, rule.maxEdge / Math.max(size.width, size.height));
      const tokens = Math.ceil((size.width * fit * (size.height * fit)) / rule.pixelsPerToken);
      return Math.min(tokens, rule.maxTokens);
    }
    case "fixed": {
      if (size.width <= rule.small && size.height <= rule.small) return rule.tokens;
      return rule.tokens * Math.ceil(size.width / rule.tile) * Math.ceil(size.height / rule.tile);
    }
  }
}

function sizeOf(image: ImagePart): Size | undefined {
  const { width, height } = image;
  if (width !== undefined && height !== undefined && width > 0 && height > 0) return { width, height };
  return image.data === undefined ? undefined : readImageSize(image.data);
}

function tileCount({ width, height }: Size): number {
  const into2048 = Math.min(1, 2048 / Math.max(width, height));
  const shortest = Math.min(width, height) * into2048;
  const fit = into2048 * Math.min(1, 768 / shortest);
  return Math.max(1, Math.ceil((width * fit) / 512)) * Math.max(1, Math.ceil((height * fit) / 512));
}

function patchCount({ width, height }: Size, maxPatches: number): number {
  const patches = Math.ceil(width / 32) * Math.ceil(height / 32);
  if (patches <= maxPatches) return patches;
  // Scaled to the cap, then a little more so that whole patches fit in one direction.
  const shrink = Math.sqrt((maxPatches * 32 * 32) / (width * height));
  const across = (width * shrink) / 32;
  const down = (height * shrink) / 32;
  const whole = shrink * Math.min(Math.floor(across) / across || 1, Math.floor(down) / down || 1);
  const fitted = Math.ceil((width * whole) / 32) * Math.ceil((height * whole) / 32);
  return Math.min(maxPatches, Math.max(1, fitted));
}
