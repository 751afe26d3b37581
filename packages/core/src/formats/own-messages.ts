import type { Message, Role } from "../message/message.ts";
import type { Part } from "../message/part.ts";
import { decodeList } from "./decode-list.ts";
import type { Format } from "./format.ts";
import { describeValue, type WireObject } from "./wire-object.ts";

const roles: ReadonlySet<unknown> = new Set<Role>(["system", "user", "assistant", "tool"]);

/**
 * Midfold's own messages, for programs that keep those. It must be named: UI messages of the AI SDK look the same where
 * they have only text, and need an id that ours do not have.
 */
export const ownMessages: Format = {
  name: "midfold",
  traits: { alternates: false, leadingSystem: true, laterSystem: true, groupedResults: false },
  detect: () => 0,
  decode: (wire, options) => decodeList(wire, decodeMessage, options),
  unchanged: (wire, { role, parts, id, name, pinned }) => {
    const now = wire as Message;
    return now.role === role && now.parts === parts && now.id === id && now.name === name && now.pinned === pinned;
  },
  encode: (message) => {
    const { source, ...own } = message;
    const came = source as Message | undefined;
    return came?.parts === message.parts && came.role === message.role ? came : own;
  },
};

function decodeMessage(wire: WireObject): Message | string {
  if (!roles.has(wire.role)) return `role must be system, user, assistant or tool, not ${describeValue(wire.role)}`;
  return isMessage(wire) ? { ...wire, source: wire } : "parts must be a list of Midfold's parts";
}

const partTypes: ReadonlySet<string> = new Set<Part["type"]>([
  "text",
  "image",
  "file",
  "reasoning",
  "tool-call",
  "tool-result",
  "other",
]);

/** Whether an object is a message of Midfold's own model. The AI SDK's UI messages have parts too, but other ones. */
export function isMessage(value: object): value is Message {
  const { parts } = value as { parts?: unknown };
  if (!Array.isArray(parts)) return false;
  return parts.every((part) => partTypes.has(part?.type) && !("filename" in part) && !("state" in part));
}
