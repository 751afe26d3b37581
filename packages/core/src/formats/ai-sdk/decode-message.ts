import type { Message, Role } from "../../message/message.ts";
import type { Part } from "../../message/part.ts";
import { buildMessage } from "../build-message.ts";
import { describeValue, isWireObject, type WireObject } from "../wire-object.ts";
import { decodePart } from "./decode-part.ts";
import { decodeUiPart } from "./decode-ui-part.ts";

export function decodeMessage(wire: WireObject): Message | string {
  const { role } = wire;
  if (role !== "system" && role !== "user" && role !== "assistant" && role !== "tool") {
    return role === undefined
      ? "has no role"
      : `role must be system, user, assistant or tool, not ${describeValue(role)}`;
  }
  if (Array.isArray(wire.parts)) return decodeParts(wire, role, wire.parts, "parts");
  const { content } = wire;
  if (typeof content === "string") {
    return buildMessage(role, content === "" ? [] : [{ type: "text", text: content }], wire);
  }
  if (Array.isArray(content)) return decodeParts(wire, role, content, "content");
  return content === undefined
    ? "has neither content nor parts"
    : `content must be a string or an array of parts, not ${describeValue(content)}`;
}

function decodeParts(wire: WireObject, role: Role, blocks: readonly unknown[], field: string): Message | string {
  const parts: Part[] = [];
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index];
    if (!isWireObject(block)) return `${field}[${index}] must be an object, not ${describeValue(block)}`;
    if (typeof block.type !== "string") return `${field}[${index}] has no type`;
    const wrong = field === "parts" ? decodeUiPart(block, block.type, parts) : push(block, block.type, role, parts);
    if (wrong !== undefined) return `${field}[${index}] of type "${block.type}" ${wrong}`;
  }
  return buildMessage(role, parts, wire);
}

function push(block: WireObject, type: string, role: Role, parts: Part[]): string | undefined {
  const part = decodePart(block, type, role === "assistant");
  if (typeof part === "string") return part;
  parts.push(part);
  return undefined;
}
