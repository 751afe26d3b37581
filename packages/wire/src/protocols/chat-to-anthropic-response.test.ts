import { describe, expect, it } from "vitest";
import type { Protocol } from "../neutral/protocol.ts";
import { options, translateResponse } from "./neutral.test-data.ts";

type Body = Record<string, unknown>;

function translate(message: object, finish: unknown = "stop", more: Body = {}, window?: number): Body {
  const body = { id: "c", model: "up", choices: [{ index: 0, message, finish_reason: finish }], ...more };
  const base = options("openai-chat", "anthropic-messages");
  return translateResponse(body, window === undefined ? base : { ...base, window }) as Body;
}
const call = (id: string, name: string, args: unknown) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const contentOf = (message: object, finish?: unknown) => translate(message, finish).content;

describe("B2 chat answers to Anthropic", () => {
  it("B2.29 thoughts, text and calls in this order, under the name the client asked for", () => {
    const body = translate(
      { content: "so", reasoning_content: "hm", tool_calls: [call("a", "f", "{}")] },
      "tool_calls",
    );
    expect(body).toMatchObject({ id: "msg_1", type: "message", role: "assistant", model: "asked-for" });
    expect((body.content as Body[]).map((block) => block.type)).toEqual(["thinking", "text", "tool_use"]);
  });

  it("B2.30 nothing said is no content, not an empty block", () => {
    expect(contentOf({ content: null })).toEqual([]);
    expect(contentOf({ content: "" })).toEqual([]);
  });

  it.each([
    ["", {}],
    ["null", {}],
    ['{"a":1}', { a: 1 }],
    [{ a: 1 }, { a: 1 }],
    ['{"a":1} trailing words', { a: 1 }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['{"a":NaN,"b":True,}', { a: null, b: true }],
    ['{"a":[1,{"b":"cut o', { a: [1, { b: "cut o" }] }],
    ['{"a":', { a: null }],
    ["not json", {}],
  ])("B2.31 arguments %j become %j", (args, expected) => {
    const [block] = contentOf({ tool_calls: [call("a", "f", args)] }) as Body[];
    expect(block).toEqual({ type: "tool_use", id: "a", name: "f", input: expected });
  });

  it.each([
    ["stop", {}, "end_turn"],
    ["stop", { tool_calls: [call("a", "f", "{}")] }, "tool_use"],
    ["tool_calls", { tool_calls: [call("a", "f", "{}")] }, "tool_use"],
    ["function_call", { function_call: { name: "f", arguments: "{}" } }, "tool_use"],
    ["length", {}, "max_tokens"],
    ["content_filter", {}, "refusal"],
    [null, {}, "end_turn"],
    ["whatever", {}, "end_turn"],
  ])("B2.32 finish %s is %s", (finish, message, expected) => {
    expect(translate({ content: "x", ...message }, finish).stop_reason).toBe(expected);
  });

  it("B2.32 a full window is told from a reached limit, and a matched stop is named", () => {
    const usage = { prompt_tokens: 900, completion_tokens: 100 };
    expect(translate({ content: "x" }, "length", { usage }, 1000).stop_reason).toBe("model_context_window_exceeded");
    expect(translate({ content: "x" }, "length", { usage }, 2000).stop_reason).toBe("max_tokens");
    const body = { choices: [{ message: { content: "x" }, finish_reason: "stop", stop_reason: "END" }] };
    expect(translateResponse(body, options("openai-chat", "anthropic-messages"))).toMatchObject({
      stop_reason: "stop_sequence",
      stop_sequence: "END",
    });
  });

  it.each([
    [
      { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 60 } },
      { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 5 },
    ],
    [
      { prompt_tokens: 100, completion_tokens: 5, prompt_cache_hit_tokens: 100 },
      { input_tokens: 0, cache_read_input_tokens: 100 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, cached_tokens: 60 },
      { input_tokens: 0, cache_read_input_tokens: 60 },
    ],
    [
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 30 },
      },
      { input_tokens: 60, cache_read_input_tokens: 10, cache_creation_input_tokens: 30 },
    ],
    [
      { prompt_tokens: "12", completion_tokens: 5.6 },
      { input_tokens: 12, output_tokens: 6 },
    ],
    [
      { prompt_tokens: -3, completion_tokens: true },
      { input_tokens: 0, output_tokens: 0 },
    ],
    [undefined, { input_tokens: 42, output_tokens: 1 }],
  ])("B2.33 usage %j", (usage, expected) => {
    expect(translate({ content: "x" }, "stop", { usage }).usage).toMatchObject(expected);
  });

  it("B2.34 reasoning in any spelling is a thought with a signature; a refusal is text", () => {
    for (const message of [{ reasoning_content: "hm" }, { reasoning: "hm" }]) {
      expect(contentOf({ content: "x", ...message })).toMatchObject([
        { type: "thinking", thinking: "hm", signature: expect.stringMatching(/^midfold\./) },
        { type: "text" },
      ]);
    }
    const details = [
      { type: "reasoning.text", text: "hm", signature: "sig" },
      { type: "reasoning.encrypted", data: "blob" },
    ];
    expect(contentOf({ content: "x", reasoning: "hm", reasoning_details: details })).toMatchObject([
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "redacted_thinking", data: "blob" },
      { type: "text" },
    ]);
    expect(translate({ content: null, refusal: "I will not." })).toMatchObject({
      content: [{ type: "text", text: "I will not." }],
      stop_reason: "refusal",
    });
    const two = { choices: [{ message: { content: "first" } }, { message: { content: "second" } }] };
    expect(translateResponse(two, options("openai-chat", "anthropic-messages"))).toMatchObject({
      content: [{ text: "first" }],
    });
  });

  it("B2.35 an error in a success, and a success that is none, are errors", () => {
    const { upstream } = options("openai-chat", "anthropic-messages");
    const decode = (body: unknown) => (upstream as Protocol).decodeResponse(body);
    expect(() => decode({ error: { message: "rate limited", code: 429 } })).toThrow(
      expect.objectContaining({ code: "UPSTREAM_RATE_LIMITED" }),
    );
    for (const body of [{}, null, "<html>", { choices: [] }, []]) {
      expect(() => decode(body)).toThrow(expect.objectContaining({ code: "UPSTREAM_BROKEN", status: 502 }));
    }
  });
});
