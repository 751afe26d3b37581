import { isWireObject, type WireObject } from "../wire-object.ts";

const ownBlocks: ReadonlySet<unknown> = new Set([
  "tool-call",
  "tool-result",
  "reasoning",
  "reasoning-file",
  "tool-approval-request",
  "tool-approval-response",
]);

/** 1: only this format writes it so; 0: it could be; -1: it cannot be. */
export function recognise(wire: WireObject): -1 | 0 | 1 {
  const { role, content } = wire;
  if (role !== "system" && role !== "user" && role !== "assistant" && role !== "tool") return -1;
  if (typeof wire.type === "string" || Array.isArray(wire.tool_calls) || typeof wire.tool_call_id === "string")
    return -1;
  if (Array.isArray(wire.parts)) return 1;
  if (isWireObject(wire.providerOptions)) return 1;
  if (typeof content === "string") return role === "tool" ? -1 : 0;
  if (!Array.isArray(content)) return -1;
  if (role === "tool") return 1;
  for (const block of content) {
    if (!isWireObject(block)) return -1;
    if (ownBlocks.has(block.type) || isWireObject(block.providerOptions)) return 1;
    if (block.type === "image") return block.image === undefined ? -1 : 1;
    if (block.type === "file") return block.data === undefined ? -1 : 1;
    if (block.type !== "text") return -1;
  }
  return 0;
}
