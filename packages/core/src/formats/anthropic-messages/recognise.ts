import { isWireObject, type WireObject } from "../wire-object.ts";

const ownBlocks: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "document",
  "server_tool_use",
  "mcp_tool_use",
  "search_result",
  "container_upload",
]);

/** 1: only this format writes it so; 0: it could be; -1: it cannot be. */
export function recognise(wire: WireObject): -1 | 0 | 1 {
  const { role, content } = wire;
  if (role !== "user" && role !== "assistant" && role !== "system") return -1;
  if (Array.isArray(wire.tool_calls) || Array.isArray(wire.parts)) return -1;
  // A whole response carries `type: "message"`, as a Responses item does; its blocks tell them apart.
  const isTyped = typeof wire.type === "string";
  if (!Array.isArray(content)) return typeof content === "string" && !isTyped ? 0 : -1;
  for (const block of content) {
    if (!isWireObject(block) || typeof block.type !== "string") return -1;
    if (ownBlocks.has(block.type) || block.type.endsWith("_tool_result")) return 1;
    if (block.type === "image") return isWireObject(block.source) ? 1 : -1;
    if (block.type !== "text") return -1;
  }
  return 0;
}
