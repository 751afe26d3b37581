import type { ChatMiddleware, ModelMessage } from "@tanstack/ai";
import { createFoldRequest, foldThrough, type MidfoldOptions, type Spelling } from "./fold-request.ts";

export type { MidfoldOptions } from "./fold-request.ts";

/**
 * Middleware for `chat()`: the provider gets messages that fit, `messages` stays whole for persistence and the UI.
 *
 * @example chat({ adapter, messages, middleware: [midfold()] });
 */
export function midfold(options: MidfoldOptions = {}): ChatMiddleware {
  const foldMessages = foldThrough(createFoldRequest(options), spelling);
  return {
    name: "midfold",
    onConfig: async ({ model, signal }, config) => {
      const { providerMessages = config.messages, systemPrompts, tools } = config;
      const system = systemPrompts.map((prompt) => (typeof prompt === "string" ? prompt : prompt.content)).join("\n");
      return { providerMessages: await foldMessages(providerMessages, { model, system, tools, signal }) };
    },
  };
}

/** TanStack's messages are OpenAI's with other names for calls, their answers and text blocks. */
const spelling: Spelling<ModelMessage> = {
  format: "openai-chat",
  write({ toolCalls, toolCallId, content, ...rest }) {
    return {
      ...rest,
      content: Array.isArray(content) ? content.map(writeBlock) : content,
      ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
      ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
    };
  },
  read(wire) {
    const { tool_calls, tool_call_id, content, ...rest } = wire as Record<string, unknown>;
    return {
      ...rest,
      content: Array.isArray(content) ? content.map(readBlock) : content,
      ...(tool_calls === undefined ? {} : { toolCalls: tool_calls }),
      ...(tool_call_id === undefined ? {} : { toolCallId: tool_call_id }),
    } as ModelMessage;
  },
};

type Block = Exclude<ModelMessage["content"], string | null>[number];

const writeBlock = (block: Block): object => (block.type === "text" ? { ...block, text: block.content } : block);

function readBlock(block: { readonly type: string; readonly text?: string }): object {
  if (block.type !== "text") return block;
  const { text, ...rest } = block;
  return { ...rest, content: text };
}
