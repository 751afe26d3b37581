import type { Draft } from "./draft.ts";
import { toOpenaiChat, type WireObject } from "./to-openai-chat.ts";

const types: Readonly<Record<string, string>> = {
  system: "system",
  developer: "system",
  user: "human",
  assistant: "ai",
  tool: "tool",
};

/** The draft as LangGraph sends its messages: `{ type: "human", content }`. */
export function toLangchain(draft: Draft): WireObject[] {
  return toOpenaiChat(draft).map(({ role, tool_calls, ...rest }) => ({
    type: types[String(role)]!,
    ...rest,
    content: rest.content ?? "",
    ...(Array.isArray(tool_calls) ? { tool_calls: tool_calls.map(toCall) } : {}),
  }));
}

interface ChatCall {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: string };
  readonly custom?: { readonly name: string; readonly input: string };
}

function toCall({ id, function: called, custom }: ChatCall): WireObject {
  return {
    type: "tool_call",
    id,
    name: (called ?? custom)!.name,
    args: argsOf(called?.arguments ?? custom?.input ?? ""),
  };
}

function argsOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {}
  return { input: text };
}
