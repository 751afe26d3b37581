import type { Part } from "./part.ts";

export type Role = "system" | "user" | "assistant" | "tool";

/**
 * One message in Midfold's neutral model: exactly one wire object (an OpenAI chat message, an Anthropic message, a
 * Responses item, an AI SDK message). A message that only carries tool results has the role `tool`, whatever its wire
 * role was; a user message that carries tool results *and* words of the user keeps the role `user`.
 */
export interface Message {
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly id?: string;
  readonly name?: string;
  /** When it was said, as an ISO date, where that is known. It is not sent; a digest needs it for "yesterday". */
  readonly at?: string;
  /** Survives every fold, word for word. */
  readonly pinned?: boolean;
  /** The wire object this message came from; it goes out as that very object when no fold touches it. */
  readonly source?: unknown;
}

/** A tool offered to the model. `source` is the wire object; `schema` is its JSON schema, where it has one. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly schema?: unknown;
  readonly source?: unknown;
}

/** A message of nothing but these words. */
export function textMessage<TRole extends Role>(
  role: TRole,
  text: string,
): { readonly role: TRole; readonly parts: readonly Part[] } {
  return { role, parts: [{ type: "text", text }] };
}

/**
 * The words of a message that a person could read: its text parts, joined by newlines.
 *
 * @example textOf({ role: "user", parts: [{ type: "text", text: "Hello" }] }); // "Hello"
 */
export function textOf(message: Message): string {
  let text = "";
  for (const part of message.parts) {
    if (part.type !== "text" || part.text === "") continue;
    text = text === "" ? part.text : `${text}\n${part.text}`;
  }
  return text;
}
