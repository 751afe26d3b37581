import type { Role } from "../../message/message.ts";
import { isWireObject, stringField, type WireObject } from "../wire-object.ts";

/** One LangChain message, whichever way it is written down. */
export interface Spelled {
  /** `human`, `ai`, `system`, `tool` … */
  readonly type: string;
  /** Where content, tool calls and the rest are. */
  readonly fields: WireObject;
}

const roles: Readonly<Record<string, Role>> = {
  human: "user",
  user: "user",
  ai: "assistant",
  assistant: "assistant",
  system: "system",
  developer: "system",
  tool: "tool",
};

/** Names of the classes, as `{ lc: 1 }` objects have them. */
const classes: Readonly<Record<string, string>> = {
  HumanMessage: "human",
  AIMessage: "ai",
  SystemMessage: "system",
  ToolMessage: "tool",
  ChatMessage: "generic",
  FunctionMessage: "function",
  RemoveMessage: "remove",
};

const types: ReadonlySet<unknown> = new Set([...Object.keys(roles), "generic", "function", "remove"]);

/**
 * Reads an instance, `{ type, data }` (`mapChatMessagesToStoredMessages`), `{ lc: 1, id, kwargs }` (`JSON.stringify`),
 * `{ type: "human", content }` (LangGraph) or `{ role, content }`. Undefined: none of these.
 */
export function spell(wire: WireObject): Spelled | undefined {
  if (wire.lc === 1 && Array.isArray(wire.id) && isWireObject(wire.kwargs)) {
    const name = String(wire.id.at(-1)).replace(/Chunk$/, "");
    return { type: classes[name] ?? name, fields: wire.kwargs };
  }
  const type = (stringField(wire, "type") ?? "").replace(/^(AI|Human|System|Tool)MessageChunk$/, (_, name: string) =>
    name.toLowerCase(),
  );
  if (types.has(type)) return { type, fields: isWireObject(wire.data) && !("content" in wire) ? wire.data : wire };
  const role = stringField(wire, "role");
  return role === undefined || type !== "" ? undefined : { type: role, fields: wire };
}

/** The role of a message; undefined for what is no part of a conversation (`RemoveMessage`) or has no pair (`function`). */
export function roleOf({ type, fields }: Spelled): Role | undefined {
  const name = type === "generic" ? (stringField(fields, "role") ?? "") : type;
  return Object.hasOwn(roles, name) ? roles[name] : undefined;
}

/** 1: only LangChain writes it so; 0: it could be; -1: it cannot be. */
export function recognise(wire: WireObject): -1 | 0 | 1 {
  const spelled = spell(wire);
  if (spelled === undefined) return -1;
  if (Array.isArray(wire.lc_namespace) || wire.lc === 1) return 1;
  if (wire.role === undefined) return "content" in spelled.fields ? 1 : -1;
  if (roleOf(spelled) === undefined || Array.isArray(wire.parts)) return -1;
  return typeof wire.content === "string" ? 0 : -1;
}
