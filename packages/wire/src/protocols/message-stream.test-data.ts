import { expect } from "vitest";
import type { translateChunks } from "./neutral.test-data.ts";

export type Frames = ReturnType<typeof translateChunks>;

/** Checks the grammar of a message stream and returns its blocks with their deltas joined. */
export function blocksOf(frames: Frames) {
  expect(frames[0]?.type).toBe("message_start");
  const blocks: { type: string; text: string; start: Record<string, unknown>; last?: string }[] = [];
  let open = false;
  for (const { type, data } of frames) {
    expect(data.type).toBe(type);
    if (type === "content_block_start") {
      expect(open).toBe(false);
      expect(data.index).toBe(blocks.length);
      const start = data.content_block as Record<string, unknown>;
      blocks.push({ type: String(start.type), text: "", start });
      open = true;
    } else if (type === "content_block_delta") {
      expect(open).toBe(true);
      expect(data.index).toBe(blocks.length - 1);
      const delta = data.delta as Record<string, string>;
      const block = blocks.at(-1)!;
      block.last = String(delta.type);
      if (delta.type !== "signature_delta") block.text += delta.text ?? delta.thinking ?? delta.partial_json ?? "";
      expect(delta.text).not.toBe("");
    } else if (type === "content_block_stop") {
      expect(open).toBe(true);
      expect(data.index).toBe(blocks.length - 1);
      open = false;
    }
  }
  return blocks;
}
export const summary = (frames: Frames) =>
  blocksOf(frames).map((block) => [block.type, block.start.name ?? "", block.text]);
export const last = (frames: Frames) => frames.at(-2)?.data as Record<string, Record<string, unknown>>;
