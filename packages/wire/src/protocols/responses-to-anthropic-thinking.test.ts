import { describe, expect, it } from "vitest";
import { traitsOf } from "../traits/traits-of.ts";
import { createReplyTranslator } from "../translate/translate-reply.ts";
import { translateResponse } from "./neutral.test-data.ts";
import { protocols } from "./protocols.ts";

const { "anthropic-messages": anthropic, "openai-responses": responses } = protocols;
const traits = traitsOf("anthropic");
const tools = [{ type: "function", name: "read", parameters: { type: "object", properties: {} } }];
const ask = { model: "claude-sonnet-4-5", input: [{ role: "user", content: "Read it." }], tools, stream: true };
const reply = { id: "resp_1", createdAt: 1, model: "claude-sonnet-4-5", includeUsage: true, estimatedInputTokens: 1 };
const neutral = responses.decodeRequest(ask);
const request = anthropic.encodeRequest(neutral, traits);
const options = {
  upstream: anthropic,
  client: responses,
  request,
  reply: { ...reply, request: neutral },
  countText: () => 1,
};

const thinking = { type: "thinking", thinking: "First I must read.", signature: "sig-of-anthropic" };
const call = { type: "tool_use", id: "toolu_1", name: "read", input: {} };

/** What goes back to Anthropic when the client sends its items again, with the tool's result. */
function sendBack(items: readonly unknown[]) {
  const output = { type: "function_call_output", call_id: "toolu_1", output: "words" };
  const next = responses.decodeRequest({ ...ask, input: [...ask.input, ...items, output] });
  const { messages } = anthropic.encodeRequest(next, traits).body as { messages: { role: string; content: unknown }[] };
  return messages.find(({ role }) => role === "assistant")?.content;
}

describe("Codex before Anthropic", () => {
  it("keeps signed thinking through encrypted_content, whole", () => {
    const message = { id: "m", type: "message", role: "assistant", model: "c", stop_reason: "tool_use" };
    const answer = { ...message, content: [thinking, call], usage: { input_tokens: 1, output_tokens: 1 } };
    const { output } = translateResponse(answer, options) as { output: { type: string; encrypted_content?: string }[] };
    expect(output.map(({ type }) => type)).toEqual(["reasoning", "function_call"]);
    expect(sendBack(output)).toMatchObject([thinking, { type: "tool_use", id: "toolu_1" }]);
  });

  it("keeps it when the answer is streamed", () => {
    const decoder = createReplyTranslator(options);
    const encoder = responses.createStreamEncoder(options.reply);
    const events = [
      { type: "message_start", message: { id: "m", model: "c", usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "First I " } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "must read." } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sig-of-anthropic" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: call },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ];
    let text = "";
    for (const event of events) {
      for (const told of decoder.push({ event: event.type, data: JSON.stringify(event) })) text += encoder.push(told);
    }
    const frames = [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data as string));
    const { output } = frames.find(({ type }) => type === "response.completed").response;
    expect(sendBack(output)).toMatchObject([thinking, { type: "tool_use", id: "toolu_1" }]);
  });

  it("sends no thinking whose proof the client changed", () => {
    const forged = { type: "reasoning", summary: [], encrypted_content: "midfold.thinking.bm90IGpzb24" };
    const items = [forged, { type: "function_call", call_id: "toolu_1", name: "read", arguments: "{}" }];
    expect(JSON.stringify(sendBack(items))).not.toContain("thinking");
  });
});
