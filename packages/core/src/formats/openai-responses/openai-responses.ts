import { decodeList, decodesTo } from "../decode-list.ts";
import type { Format } from "../format.ts";
import { scoreList } from "../score-list.ts";
import { isWireObject, type WireObject } from "../wire-object.ts";
import { decodeItem } from "./decode-item.ts";
import { encodeItem } from "./encode-item.ts";

/** OpenAI Responses input items: one item is one message, so one turn of the assistant is often several. */
export const openaiResponses: Format = {
  name: "openai-responses",
  traits: { alternates: false, leadingSystem: true, laterSystem: true, groupedResults: false },
  detect: (wire) => scoreList(wire, recognise),
  decode: (wire, options) => decodeList(wire, decodeItem, options),
  unchanged: (wire, message) => decodesTo(decodeItem(wire as WireObject), message),
  encode: encodeItem,
};

const ownBlocks: ReadonlySet<unknown> = new Set(["input_text", "output_text", "input_image", "input_file"]);

/** What LangChain calls its messages: taken for items of an unknown kind, they would lose what they say. */
const otherTypes: ReadonlySet<unknown> = new Set([
  "human",
  "ai",
  "system",
  "tool",
  "generic",
  "function",
  "remove",
  "constructor",
  "AIMessageChunk",
  "HumanMessageChunk",
]);

/** 1: only this format writes it so; 0: it could be; -1: it cannot be. */
function recognise(wire: WireObject): -1 | 0 | 1 {
  if (wire.role === undefined) return typeof wire.type === "string" && !otherTypes.has(wire.type) ? 1 : -1;
  if (wire.role !== "user" && wire.role !== "assistant" && wire.role !== "system" && wire.role !== "developer")
    return -1;
  if (Array.isArray(wire.tool_calls) || Array.isArray(wire.parts)) return -1;
  const isTyped = wire.type === "message";
  const { content } = wire;
  if (typeof content === "string") return isTyped ? 1 : 0;
  if (!Array.isArray(content)) return -1;
  for (const block of content) {
    if (!isWireObject(block)) return -1;
    if (ownBlocks.has(block.type)) return 1;
    // Refusals are spelled alike here and in chat; other blocks belong to other formats.
    if (block.type !== "refusal") return -1;
  }
  return isTyped ? 1 : 0;
}
