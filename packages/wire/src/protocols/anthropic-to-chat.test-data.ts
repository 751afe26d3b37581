import type { UpstreamTraits } from "../neutral/upstream-traits.ts";
import type { ProviderKind } from "../traits/traits-of.ts";
import { traitsOf } from "../traits/traits-of.ts";
import { protocols } from "./protocols.ts";

export const { "anthropic-messages": anthropic, "openai-chat": chat } = protocols;

export type Message = Record<string, unknown>;
export const base = { model: "m", max_tokens: 100 };

export function translate(body: object, kind: ProviderKind = "generic", overrides: Partial<UpstreamTraits> = {}) {
  return chat.encodeRequest(anthropic.decodeRequest({ ...base, ...body }), traitsOf(kind, overrides));
}
export function bodyOf(body: object, kind?: ProviderKind, overrides?: Partial<UpstreamTraits>) {
  return translate(body, kind, overrides).body;
}
export function messagesOf(body: object, kind?: ProviderKind, overrides?: Partial<UpstreamTraits>): Message[] {
  return bodyOf(body, kind, overrides).messages as Message[];
}

export const user = (content: unknown) => ({ role: "user", content });
export const assistant = (content: unknown) => ({ role: "assistant", content });
export const text = (words: string) => ({ type: "text", text: words });
export const toolUse = (id: string, name = "run", input: object = {}) => ({ type: "tool_use", id, name, input });
export const result = (id: string, content?: unknown, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  ...(content === undefined ? {} : { content }),
  ...more,
});
export const png = { type: "image", source: { type: "base64", media_type: "image/png", data: "QUJD" } };
