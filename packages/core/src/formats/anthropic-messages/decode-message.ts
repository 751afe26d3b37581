import type { Message, Role } from "../../message/message.ts";
import type { Part } from "../../message/part.ts";
import { buildMessage } from "../build-message.ts";
import { describeValue, isWireObject, type WireObject } from "../wire-object.ts";
import { decodeBlock } from "./decode-block.ts";

export function decodeMessage(wire: WireObject): Message | string {
  const { role, content } = wire;
  if (role !== "user" && role !== "assistant" && role !== "system") {
    return role === undefined ? "has no role" : `role must be user, assistant or system, not ${describeValue(role)}`;
  }
  if (typeof content === "string") {
    return buildMessage(role, content === "" ? [] : [{ type: "text", text: content }], wire);
  }
  if (!Array.isArray(content)) {
    return content === undefined
      ? "has no content"
      : `content must be a string or an array of blocks, not ${describeValue(content)}`;
  }
  const parts: Part[] = [];
  for (let index = 0; index < content.length; index++) {
    const block: unknown = content[index];
    if (!isWireObject(block)) return `content[${index}] must be an object, not ${describeValue(block)}`;
    if (typeof block.type !== "string") return `content[${index}] has no type`;
    const part = decodeBlock(block, block.type);
    if (typeof part === "string") return `content[${index}] of type "${block.type}" ${part}`;
    parts.push(part);
  }
  return buildMessage(role === "user" ? userOrTool(parts) : role, parts, wire);
}

/** Tool results travel in user messages; a message of nothing else is the tools' own. */
function userOrTool(parts: readonly Part[]): Role {
  if (parts.length === 0) return "user";
  for (const part of parts) {
    if (part.type !== "tool-result") return "user";
  }
  return "tool";
}
