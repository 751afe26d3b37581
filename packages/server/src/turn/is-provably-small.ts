import type { Preset } from "@midfold/core";

/** Content whose tokens its bytes do not bound: a short address may stand for a large picture. */
const unbounded = ["image", "file", "document", "audio", "item_reference", "previous_response_id"].map((word) =>
  Buffer.from(`"${word}`),
);

/**
 * Whether a request fits without being counted: a token is at least one byte, so as many bytes as the budget has tokens
 * always fit. Holds for text; requests that refer to anything else are counted.
 */
export function isProvablySmall(bytes: Uint8Array, preset: Preset, window: number, budget: number): boolean {
  // Rules that look at single results or at numbers of messages must see the request, however small it is.
  if (preset.trigger !== undefined) return false;
  const resultLimit = preset.rungs.includes("clip-new-results") ? (preset.maxNewResult ?? 0.1) * window : budget;
  if (bytes.byteLength > Math.min(budget, resultLimit)) return false;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return !unbounded.some((word) => buffer.includes(word));
}
