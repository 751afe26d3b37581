import { describeValue, isWireObject, type WireObject } from "./wire-object.ts";

/** Where decoders put the parts they read: any list that can hold them. Saves an array per field of a message. */
export interface PartSink<TPart> {
  push(part: TPart): unknown;
}

/**
 * Reads the blocks of a message's `content` onto the end of `parts`. A string says what is wrong, with the place of the block:
 * `decodeBlock` gives its own as the end of that sentence ("has no text").
 */
export function decodeBlocks<TPart>(
  content: readonly unknown[],
  decodeBlock: (block: WireObject, type: string) => TPart | string,
  parts: PartSink<TPart>,
): string | undefined {
  for (let index = 0; index < content.length; index++) {
    const block = content[index];
    if (!isWireObject(block)) return `content[${index}] must be an object, not ${describeValue(block)}`;
    if (typeof block.type !== "string") return `content[${index}] has no type`;
    const part = decodeBlock(block, block.type);
    if (typeof part === "string") return `content[${index}] of type "${block.type}" ${part}`;
    parts.push(part);
  }
  return undefined;
}
