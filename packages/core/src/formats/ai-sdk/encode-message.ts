import { fingerprint } from "../../message/fingerprint.ts";
import type { Message } from "../../message/message.ts";
import { sameOrNew } from "../same-or-new.ts";
import { isWireObject, type WireObject } from "../wire-object.ts";
import { encodePart } from "./encode-part.ts";
import { encodeUiParts } from "./encode-ui-parts.ts";

export function encodeMessage(message: Message, like?: unknown): WireObject {
  const source = isWireObject(message.source) ? message.source : undefined;
  const { role } = message;
  if (source === undefined && isWireObject(like)) {
    // UI messages need an id of their own; the same words get the same one.
    if (Array.isArray(like.parts))
      return { id: `midfold-${fingerprint(message)}`, role, parts: encodeUiParts(message.parts) };
    if (Array.isArray(like.content) && role !== "system") return { role, content: message.parts.map(encodePart) };
  }
  if (Array.isArray(source?.parts)) return sameOrNew(source, { ...source, role, parts: encodeUiParts(message.parts) });
  return sameOrNew(source, { ...source, role, content: encodeContent(message, source?.content) });
}

function encodeContent(message: Message, before: unknown): unknown {
  const only = message.parts[0];
  if (only === undefined) return Array.isArray(before) || message.role === "tool" ? [] : "";
  const isOneText = message.parts.length === 1 && only.type === "text" && only.source === undefined;
  // A system message has no blocks in this format.
  if (message.role === "system" || (isOneText && !Array.isArray(before))) {
    if (isOneText) return only.text;
    if (!Array.isArray(before)) return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  }
  return message.parts.map(encodePart);
}
