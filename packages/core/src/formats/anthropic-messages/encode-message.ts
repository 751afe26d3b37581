import type { Message } from "../../message/message.ts";
import { sameOrNew } from "../same-or-new.ts";
import { isWireObject, type WireObject } from "../wire-object.ts";
import { encodeBlock } from "./encode-block.ts";

export function encodeMessage(message: Message): WireObject {
  const source = isWireObject(message.source) ? message.source : undefined;
  const role = message.role === "tool" ? "user" : message.role;
  return sameOrNew(source, { ...source, role, content: encodeContent(message, source?.content) });
}

function encodeContent(message: Message, before: unknown): unknown {
  const only = message.parts[0];
  if (only === undefined) return before === "" ? before : [];
  if (message.parts.length === 1 && only.type === "text" && only.source === undefined && !Array.isArray(before)) {
    return only.text;
  }
  return message.parts.map(encodeBlock);
}
