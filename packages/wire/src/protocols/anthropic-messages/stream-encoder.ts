import type { Usage } from "../../neutral/neutral-response.ts";
import type { ReplyContext, StreamEncoder } from "../../neutral/protocol.ts";
import type { StreamEvent } from "../../neutral/stream-event.ts";
import { encodeSse } from "../../sse/encode-sse.ts";
import { createPartOrder } from "../../translate/order-parts.ts";
import { errorBody } from "./encode-error.ts";
import { contextManagement } from "./encode-response.ts";
import { encodeFinish } from "./finish.ts";
import { replyBlocks, replyToolId } from "./reply-blocks.ts";
import { signatureFor } from "./synthetic-signature.ts";
import { encodeUsage } from "./usage.ts";

/** Writes the events of a message. One block is open at a time; clients rely on it. */
export function createStreamEncoder(reply: ReplyContext): StreamEncoder {
  const inOrder = createPartOrder();
  let started = false;
  let block = 0;
  /** Whether the block of the open part has been announced; thoughts that are not shown have none. */
  let isOpen = false;
  let usage: Usage = { inputTokens: reply.estimatedInputTokens, outputTokens: 0 };

  const frame = (type: string, fields: object): string => encodeSse(type, { type, ...fields });
  const start = (): string => {
    if (started) return "";
    started = true;
    const message = {
      id: reply.id,
      type: "message",
      role: "assistant",
      model: reply.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: encodeUsage({ ...usage, outputTokens: 1 }),
    };
    return frame("message_start", { message }) + ping;
  };
  const open = (content: object): string => {
    isOpen = true;
    return frame("content_block_start", { index: block, content_block: content });
  };
  const delta = (content: object): string =>
    isOpen ? frame("content_block_delta", { index: block, delta: content }) : "";
  const close = (): string => {
    if (!isOpen) return "";
    isOpen = false;
    return frame("content_block_stop", { index: block++ });
  };

  const write = (event: StreamEvent): string => {
    switch (event.type) {
      case "text-start":
        return open({ type: "text", text: "", citations: null });
      case "text-delta":
        return delta({ type: "text_delta", text: event.text });
      case "reasoning-start":
        if (event.opaque !== undefined) return open({ type: "redacted_thinking", data: event.opaque });
        return reply.hideReasoning === true ? "" : open({ type: "thinking", thinking: "", signature: "" });
      case "reasoning-delta":
        return delta({ type: "thinking_delta", thinking: event.text });
      case "reasoning-end":
        return endReasoning(event);
      case "tool-call-start": {
        const type = event.hosted === true ? "server_tool_use" : "tool_use";
        return open({ type, id: replyToolId(event.id), name: event.name, input: {} });
      }
      case "tool-call-delta":
        return delta({ type: "input_json_delta", partial_json: event.text });
      case "part-available": {
        const [content] = replyBlocks([event.part], reply);
        return typeof content === "object" && content !== null ? open(content) + close() : "";
      }
      case "text-end":
      case "tool-call-end":
        return close();
      case "finish":
        return finish(event.reason, event.stopSequence);
      default:
        return "";
    }
  };
  let sealedOpen = false;
  const endReasoning = (event: StreamEvent & { type: "reasoning-end" }): string => {
    if (isOpen && event.opaque !== undefined && sealedOpen) return close();
    const sealed = event.signature !== undefined || event.opaque !== undefined;
    const opened = !isOpen && sealed ? open({ type: "thinking", thinking: "", signature: "" }) : "";
    const signature = isOpen ? delta({ type: "signature_delta", signature: signatureFor(event) }) : "";
    return opened + signature + close();
  };
  const finish = (reason: Parameters<typeof encodeFinish>[0], stopSequence: string | undefined): string => {
    const stop = { stop_reason: encodeFinish(reason), stop_sequence: stopSequence ?? null };
    const fields = { delta: stop, usage: encodeUsage(usage), ...contextManagement(reply) };
    return frame("message_delta", fields) + frame("message_stop", {});
  };

  return {
    push(event) {
      if (event.type === "error") return encodeSse("error", errorBody(event.error));
      if (event.type === "usage-available" || (event.type === "response-start" && event.usage !== undefined)) {
        usage = event.usage ?? usage;
      }
      let frames = start();
      for (const next of inOrder(event)) {
        sealedOpen = next.type === "reasoning-start" ? next.opaque !== undefined : sealedOpen;
        frames += write(next);
      }
      return frames;
    },
  };
}

/** A frame clients ignore; this API names it. */
export const ping = encodeSse("ping", { type: "ping" });
