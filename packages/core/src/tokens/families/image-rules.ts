import type { ImageRule } from "../image-tokens.ts";

// How the families count images that the default one does not count alike. Beside their figures, which are loaded with a
// model's name: whoever brings a counter needs none of them.

/** OpenAI's smaller models and several open ones: 32² patches, capped. */
export const patches =
  (multiplier: number, maxPatches: number): ImageRule =>
  ({ width, height }) =>
    Math.ceil(patchCount(width, height, maxPatches) * multiplier);

/** Claude: width × height ÷ `pixelsPerToken` after fitting the longest edge. */
export const area =
  (pixelsPerToken: number, maxEdge: number, maxTokens: number): ImageRule =>
  ({ width, height }) => {
    const fit = Math.min(1, maxEdge / Math.max(width, height));
    return Math.min(Math.ceil((width * fit * (height * fit)) / pixelsPerToken), maxTokens);
  };

/** Gemini: a fixed price per tile; an image with both sides up to `small` is one tile. */
export const fixed =
  (tokens: number, tile: number, small: number): ImageRule =>
  ({ width, height }) =>
    width <= small && height <= small ? tokens : tokens * Math.ceil(width / tile) * Math.ceil(height / tile);

function patchCount(width: number, height: number, maxPatches: number): number {
  const whole = Math.ceil(width / 32) * Math.ceil(height / 32);
  if (whole <= maxPatches) return whole;
  // Scaled to the cap, then a little more so that whole patches fit in one direction.
  const shrink = Math.sqrt((maxPatches * 32 * 32) / (width * height));
  const across = (width * shrink) / 32;
  const down = (height * shrink) / 32;
  const scale = shrink * Math.min(Math.floor(across) / across || 1, Math.floor(down) / down || 1);
  const fitted = Math.ceil((width * scale) / 32) * Math.ceil((height * scale) / 32);
  return Math.min(maxPatches, Math.max(1, fitted));
}
