import { isWireObject, type WireObject } from "../wire-object.ts";

const ownBlocks: ReadonlySet<unknown> = new Set(["image_url", "input_audio", "refusal"]);
const roles: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** 1: only this format writes it so; 0: it could be; -1: it cannot be. */
export function recognise(wire: WireObject): -1 | 0 | 1 {
  if (!roles.has(wire.role)) return -1;
  if (wire.role === "tool") return typeof wire.tool_call_id === "string" ? 1 : -1;
  if (wire.role === "function" || Array.isArray(wire.tool_calls) || isWireObject(wire.function_call)) return 1;
  // Responses items carry a type, AI SDK UI messages carry parts.
  if (typeof wire.type === "string" || Array.isArray(wire.parts)) return -1;
  const { content } = wire;
  if (!Array.isArray(content)) return typeof content === "string" || content == null ? 0 : -1;
  for (const block of content) {
    if (!isWireObject(block)) return -1;
    if (ownBlocks.has(block.type) || (block.type === "file" && isWireObject(block.file))) return 1;
    if (block.type !== "text") return -1;
  }
  return 0;
}
