import type { Part } from "@midfold/core";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import type { FinishReason, Usage } from "../../neutral/neutral-response.ts";
import type { ReplyContext, StreamEncoder } from "../../neutral/protocol.ts";
import type { StreamEvent } from "../../neutral/stream-event.ts";
import { encodeSse } from "../../sse/encode-sse.ts";
import { describeHosted } from "../../translate/describe-part.ts";
import { createPartOrder } from "../../translate/order-parts.ts";
import { incompleteReason, replyEnvelope, replyError } from "./reply-envelope.ts";
import {
  callItem,
  compactionItem,
  itemId,
  messageItem,
  type ReplyItem,
  reasoningItem,
  toolsByName,
} from "./reply-items.ts";
import { sealThinking } from "./sealed-thinking.ts";

interface OpenItem {
  readonly id: string;
  readonly kind: "message" | "reasoning" | "function" | "custom" | "hosted";
  readonly call?: { readonly id: string; readonly name: string };
  text: string;
}

/** Writes the events of a response: every item is announced, filled and closed, and all events are numbered. */
export function createStreamEncoder(reply: ReplyContext): StreamEncoder {
  const inOrder = createPartOrder();
  const tools = toolsByName(reply);
  const output: ReplyItem[] = [];
  let sequence = 0;
  let started = false;
  let open: OpenItem | undefined;
  let usage: Usage = { inputTokens: reply.estimatedInputTokens, outputTokens: 0 };

  const frame = (type: ResponseStreamEvent["type"], fields: object): string =>
    encodeSse(type, { type, sequence_number: sequence++, ...fields });
  const start = (): string => {
    if (started) return "";
    started = true;
    const response = replyEnvelope(reply, [], { status: "in_progress" });
    return frame("response.created", { response }) + frame("response.in_progress", { response });
  };
  const at = () => ({ item_id: open?.id, output_index: output.length });
  const added = (item: ReplyItem): string =>
    frame("response.output_item.added", { output_index: output.length, item: { ...item, status: "in_progress" } });
  const closed = (item: ReplyItem): string => {
    const done = frame("response.output_item.done", { output_index: output.length, item });
    output.push(item);
    open = undefined;
    return done;
  };

  const startText = (): string => {
    open = { id: itemId("msg", reply, output.length), kind: "message", text: "" };
    const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
    const item = { ...messageItem(open.id, ""), content: [] };
    return added(item) + frame("response.content_part.added", { ...at(), content_index: 0, part });
  };
  const addText = (text: string): string => {
    if (open === undefined) return "";
    open.text += text;
    return frame("response.output_text.delta", { ...at(), content_index: 0, delta: text, logprobs: [] });
  };
  const endText = (): string => {
    if (open === undefined) return "";
    const item = messageItem(open.id, open.text);
    const done = frame("response.output_text.done", { ...at(), content_index: 0, text: open.text, logprobs: [] });
    const part = frame("response.content_part.done", { ...at(), content_index: 0, part: item.content[0] });
    return done + part + closed(item);
  };
  const wholeText = (text: string): string => startText() + addText(text) + endText();

  let thought = "";
  const startReasoning = (): string => {
    thought = "";
    open = { id: itemId("rs", reply, output.length), kind: "reasoning", text: "" };
    return added(reasoningItem(open.id, "", undefined));
  };
  const addReasoning = (text: string): string => {
    thought += text;
    if (open === undefined || reply.hideReasoning === true) return "";
    const part = { type: "summary_text", text: "" };
    const first =
      open.text === "" ? frame("response.reasoning_summary_part.added", { ...at(), summary_index: 0, part }) : "";
    open.text += text;
    return first + frame("response.reasoning_summary_text.delta", { ...at(), summary_index: 0, delta: text });
  };
  const endReasoning = (opaque: string | undefined): string => {
    if (open === undefined) return "";
    const { id, text } = open;
    const part = { type: "summary_text", text };
    const done =
      text === ""
        ? ""
        : frame("response.reasoning_summary_text.done", { ...at(), summary_index: 0, text }) +
          frame("response.reasoning_summary_part.done", { ...at(), summary_index: 0, part });
    return done + closed(reasoningItem(id, text, opaque));
  };

  const startCall = (event: StreamEvent & { type: "tool-call-start" }): string => {
    const kind = event.hosted === true ? "hosted" : event.custom === true ? "custom" : "function";
    const call = { id: event.id, name: event.name };
    open = { id: itemId(kind === "custom" ? "ctc" : "fc", reply, output.length), kind, call, text: "" };
    return kind === "hosted" ? "" : added(emptyCall(open));
  };
  const emptyCall = ({ id, call, kind }: OpenItem): ReplyItem => {
    const custom = kind === "custom";
    const item = callItem(id, { id: call?.id ?? "", name: call?.name ?? "", input: "", custom }, tools);
    return item.type === "function_call" ? { ...item, arguments: "" } : item;
  };
  const addInput = (text: string): string => {
    if (open === undefined) return "";
    open.text += text;
    if (open.kind === "hosted") return "";
    const type =
      open.kind === "custom" ? "response.custom_tool_call_input.delta" : "response.function_call_arguments.delta";
    return frame(type, { ...at(), delta: text });
  };
  const endCall = (): string => {
    if (open?.call === undefined) return "";
    const { id, kind, call, text } = open;
    if (kind === "hosted") return wholeText(`[${call.name}: ${text || "{}"}]`);
    const item = callItem(id, { ...call, input: text, custom: kind === "custom" }, tools);
    const done =
      item.type === "function_call"
        ? frame("response.function_call_arguments.done", { ...at(), name: item.name, arguments: item.arguments })
        : frame("response.custom_tool_call_input.done", { ...at(), input: text });
    return done + closed(item);
  };

  const wholePart = (part: Part): string => {
    if (part.type === "tool-result") return wholeText(describeHosted(part));
    const item = compactionItem(itemId("cmp", reply, output.length), part);
    return item === undefined ? "" : added(item) + closed(item);
  };

  const finish = (reason: FinishReason): string => {
    const incomplete = incompleteReason(reason);
    const envelope = replyEnvelope(reply, output, { status: incomplete ? "incomplete" : "completed", usage });
    if (incomplete === undefined) return frame("response.completed", { response: envelope });
    return frame("response.incomplete", { response: { ...envelope, incomplete_details: { reason: incomplete } } });
  };

  const write = (event: StreamEvent): string => {
    switch (event.type) {
      case "text-start":
        return startText();
      case "text-delta":
        return addText(event.text);
      case "text-end":
        return endText();
      case "reasoning-start":
        return startReasoning();
      case "reasoning-delta":
        return addReasoning(event.text);
      case "reasoning-end":
        return endReasoning(sealThinking({ ...event, text: thought }));
      case "tool-call-start":
        return startCall(event);
      case "tool-call-delta":
        return addInput(event.text);
      case "tool-call-end":
        return endCall();
      case "part-available":
        return wholePart(event.part);
      case "finish":
        return finish(event.reason);
      default:
        return "";
    }
  };

  return {
    push(event) {
      if (event.type === "usage-available") usage = event.usage;
      let frames = start();
      if (event.type === "error") {
        const envelope = replyEnvelope(reply, output, { status: "failed" });
        return frames + frame("response.failed", { response: { ...envelope, error: replyError(event.error) } });
      }
      for (const next of inOrder(event)) frames += write(next);
      return frames;
    },
  };
}
