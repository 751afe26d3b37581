import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import type { Usage } from "../../neutral/neutral-response.ts";
import type { ReplyContext, StreamEncoder } from "../../neutral/protocol.ts";
import type { StreamEvent } from "../../neutral/stream-event.ts";
import { encodeSseData } from "../../sse/encode-sse.ts";
import { describeHosted } from "../../translate/describe-part.ts";
import { openaiErrorBody } from "../openai-error.ts";
import { encodeFinish } from "./finish.ts";
import { encodeUsage } from "./usage.ts";

type Delta = ChatCompletionChunk.Choice["delta"] & Record<string, unknown>;

/** Writes chat completion chunks. Tool calls are numbered on their own, in the order in which they start. */
export function createStreamEncoder(reply: ReplyContext): StreamEncoder {
  let started = false;
  let usage: Usage = { inputTokens: reply.estimatedInputTokens, outputTokens: 0 };
  const calls = new Map<number, number>();
  const hosted = new Map<number, { name: string; input: string }>();

  const chunk = (choices: ChatCompletionChunk["choices"], more: Partial<ChatCompletionChunk> = {}): string =>
    encodeSseData({
      id: reply.id,
      object: "chat.completion.chunk",
      created: reply.createdAt,
      model: reply.model,
      choices,
      ...more,
    } satisfies ChatCompletionChunk);
  const say = (delta: Delta): string => chunk([{ index: 0, delta, logprobs: null, finish_reason: null }]);
  const start = (): string => {
    if (started) return "";
    started = true;
    return say({ role: "assistant", content: "" });
  };

  const write = (event: StreamEvent): string => {
    switch (event.type) {
      case "text-delta":
        return say({ content: event.text });
      case "reasoning-delta":
        return reply.hideReasoning === true ? "" : say({ reasoning_content: event.text });
      case "reasoning-end": {
        const { signature, opaque } = event;
        if (signature !== undefined)
          return say({ reasoning_details: [{ type: "reasoning.text", text: "", signature }] });
        return opaque === undefined ? "" : say({ reasoning_details: [{ type: "reasoning.encrypted", data: opaque }] });
      }
      case "tool-call-start": {
        if (event.hosted === true) {
          hosted.set(event.index, { name: event.name, input: "" });
          return "";
        }
        const index = calls.size;
        calls.set(event.index, index);
        return say({
          tool_calls: [{ index, id: event.id, type: "function", function: { name: event.name, arguments: "" } }],
        });
      }
      case "tool-call-delta": {
        const run = hosted.get(event.index);
        if (run !== undefined) {
          run.input += event.text;
          return "";
        }
        const index = calls.get(event.index);
        return index === undefined ? "" : say({ tool_calls: [{ index, function: { arguments: event.text } }] });
      }
      case "tool-call-end": {
        const run = hosted.get(event.index);
        return run === undefined ? "" : say({ content: `[${run.name}: ${run.input || "{}"}]` });
      }
      case "part-available":
        return event.part.type === "tool-result" ? say({ content: describeHosted(event.part) }) : "";
      case "finish": {
        const end = chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: encodeFinish(event.reason) }]);
        const cost = reply.includeUsage ? chunk([], { usage: encodeUsage(usage) }) : "";
        return `${end}${cost}data: [DONE]\n\n`;
      }
      default:
        return "";
    }
  };

  return {
    push(event) {
      if (event.type === "error") return encodeSseData(openaiErrorBody(event.error, "messages"));
      if (event.type === "usage-available") usage = event.usage;
      return start() + write(event);
    },
  };
}
