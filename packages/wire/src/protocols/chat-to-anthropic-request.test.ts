import { describe, expect, it } from "vitest";
import type { UpstreamTraits } from "../neutral/upstream-traits.ts";
import { traitsOf } from "../traits/traits-of.ts";
import { options, reply, translateChunks } from "./neutral.test-data.ts";
import { protocols } from "./protocols.ts";

const { "anthropic-messages": anthropic, "openai-chat": chat } = protocols;

type Body = Record<string, unknown>;

function translate(body: object, overrides: Partial<UpstreamTraits> = {}) {
  return anthropic.encodeRequest(chat.decodeRequest({ model: "m", ...body }), traitsOf("anthropic", overrides));
}
const bodyOf = (body: object, overrides?: Partial<UpstreamTraits>) => translate(body, overrides).body;
const messagesOf = (messages: object[]) => bodyOf({ messages }).messages as Body[];
const user = (content: unknown) => ({ role: "user", content });
const call = (id: string, name = "f", args = "{}") => ({ id, type: "function", function: { name, arguments: args } });
const calls = (...list: object[]) => ({ role: "assistant", content: null, tool_calls: list });
const result = (id: string, content: unknown) => ({ role: "tool", tool_call_id: id, content });
const hi = { messages: [user("hi")] };

describe("B4 chat requests to Anthropic", () => {
  it("B4.52 system messages lead, later ones stay where they are, and turns alternate from the user on", () => {
    const body = bodyOf({
      messages: [
        { role: "system", content: "A" },
        { role: "developer", content: "B" },
        { role: "assistant", content: "Welcome" },
        user("one"),
        { ...user("two"), name: "Ann" },
        { role: "system", content: "C" },
        { role: "assistant", content: "" },
        { role: "assistant", content: "ok" },
      ],
    });
    expect(body.system).toEqual([
      { type: "text", text: "A" },
      { type: "text", text: "B" },
    ]);
    const messages = body.messages as Body[];
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "user", "assistant"]);
    const said = JSON.stringify(messages[2]);
    expect(said).toContain("Ann: two");
    expect(said).toContain("<system-reminder>\\nC\\n</system-reminder>");
  });

  it("B4.53 tool messages become one user turn of results, with images and stand-ins", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,QQ" } };
    const messages = messagesOf([
      user("go"),
      calls(call("a"), call("b"), call("c")),
      result("b", [{ type: "text", text: "B" }, image]),
      result("a", "A"),
      user("and?"),
    ]);
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
    const blocks = messages[2]!.content as Body[];
    expect(blocks.map((block) => block.tool_use_id)).toEqual(["a", "b", "c", undefined]);
    expect(blocks[1]?.content).toEqual([
      { type: "text", text: "B" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "QQ" } },
    ]);
    expect(blocks[2]?.content).toBe("[no output]");
    expect(blocks[3]).toEqual({ type: "text", text: "and?" });
  });

  it("B4.54 limits, sampling, stops, effort and format find their places", () => {
    const body = bodyOf({ ...hi, temperature: 1.7, top_p: 0.5, stop: ["x", " \n"], user: "u" });
    expect(body).toMatchObject({ max_tokens: 32_000, temperature: 1, top_p: 0.5, stop_sequences: ["x"] });
    expect(translate({ ...hi, stop: [" "] }).localStops).toEqual([" "]);
    expect((body.metadata as Body).user_id).toMatch(/^[0-9a-f]{64}$/);
    expect(bodyOf({ ...hi, max_completion_tokens: 9, max_tokens: 5 }).max_tokens).toBe(9);
    expect(translate({ ...hi, n: 2, seed: 1, logit_bias: {} }).dropped).toEqual(["n", "seed", "logit_bias"]);
    expect(translate({ ...hi, n: 1 }).dropped).toEqual([]);
    const schema = { type: "object", properties: {} };
    expect(
      bodyOf({ ...hi, response_format: { type: "json_schema", json_schema: { name: "r", schema } } }).output_config,
    ).toEqual({ format: { type: "json_schema", schema } });
    expect(bodyOf({ ...hi, response_format: { type: "json_object" } }).system).toContain("JSON");
  });

  it("B4.54 effort becomes adaptive thinking or a budget below the limit, without sampling settings", () => {
    const adaptive = translate({ ...hi, reasoning_effort: "minimal", temperature: 0.2 });
    expect(adaptive.body).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "low" } });
    expect(adaptive.body).not.toHaveProperty("temperature");
    expect(adaptive.dropped).toContain("temperature");
    const budget = { thinking: "budget" } as const;
    expect(bodyOf({ ...hi, reasoning_effort: "high", max_tokens: 4000 }, budget).thinking).toEqual({
      type: "enabled",
      budget_tokens: 3999,
    });
    expect(bodyOf({ ...hi, reasoning_effort: "high", max_tokens: 500 }, budget)).not.toHaveProperty("thinking");
    expect(bodyOf({ ...hi, reasoning_effort: "none" }).thinking).toEqual({ type: "disabled" });
  });

  it("B4.55 images, files, audio, tools and choices", () => {
    const [message] = messagesOf([
      user([
        { type: "image_url", image_url: { url: "https://x.test/a.png" } },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,QQ" } },
      ]),
    ]);
    expect(message?.content).toEqual([
      { type: "image", source: { type: "url", url: "https://x.test/a.png" } },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "QQ" }, title: "a.pdf" },
    ]);
    const audio = { type: "input_audio", input_audio: { data: "QQ", format: "wav" } };
    expect(() => messagesOf([user([audio])])).toThrow(
      expect.objectContaining({ code: "UNSUPPORTED_FEATURE", status: 400 }),
    );
    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
    expect(bodyOf({ ...hi, tools, tool_choice: "required" }).tool_choice).toEqual({ type: "any" });
    expect(bodyOf({ ...hi, tools, tool_choice: "none" }).tool_choice).toEqual({ type: "none" });
    expect(bodyOf({ ...hi, tools, parallel_tool_calls: false }).tool_choice).toEqual({
      type: "auto",
      disable_parallel_tool_use: true,
    });
    const named = { type: "function", function: { name: "f" } };
    expect(bodyOf({ ...hi, tools, tool_choice: named }).tool_choice).toEqual({ type: "tool", name: "f" });
    const legacy = bodyOf({
      ...hi,
      functions: [{ name: "g", parameters: { type: "object" } }],
      function_call: { name: "g" },
    });
    expect(legacy.tools).toEqual([{ name: "g", input_schema: { type: "object" } }]);
    expect(legacy.tool_choice).toEqual({ type: "tool", name: "g" });
    const custom = [{ type: "custom", custom: { name: "c", description: "d" } }];
    expect(bodyOf({ ...hi, tools: custom }).tools).toMatchObject([
      { name: "c", input_schema: { required: ["input"] } },
    ]);
  });

  it("B4.55 the function calls of the old API pair with their results", () => {
    const messages = messagesOf([
      user("go"),
      { role: "assistant", content: null, function_call: { name: "f", arguments: '{"a":1}' } },
      { role: "function", name: "f", content: "F" },
    ]);
    const [use] = messages[1]!.content as Body[];
    const [answer] = messages[2]!.content as Body[];
    expect(use).toMatchObject({ type: "tool_use", name: "f", input: { a: 1 } });
    expect(answer).toMatchObject({ type: "tool_result", tool_use_id: use?.id, content: "F" });
  });

  describe("answers back to chat", () => {
    const start = {
      type: "message_start",
      message: {
        id: "m",
        usage: { input_tokens: 3, cache_read_input_tokens: 5, cache_creation_input_tokens: 2, output_tokens: 1 },
      },
    };
    const blocks = [
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sig" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "so" } },
      { type: "content_block_stop", index: 1 },
      { type: "ping" },
      { type: "content_block_start", index: 2, content_block: { type: "tool_use", id: "a", name: "f", input: {} } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"x"' } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: ":1}" } },
      { type: "content_block_stop", index: 2 },
      {
        type: "content_block_start",
        index: 3,
        content_block: { type: "tool_use", id: "b", name: "g", input: { y: 2 } },
      },
      { type: "content_block_stop", index: 3 },
    ];
    const end = (reason: string) => [
      { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    ];
    const run = (events: object[], includeUsage = true) =>
      translateChunks(events, options("anthropic-messages", "openai-chat", { reply: { ...reply, includeUsage } })).map(
        ({ data }) => data as { choices?: Body[]; usage?: Body },
      );
    const deltas = (frames: { choices?: Body[] }[]) =>
      frames.flatMap(({ choices }) => (choices?.[0]?.delta ? [choices[0].delta as Body] : []));

    it("B4.56 role, thoughts with their proof, text, and calls numbered on their own", () => {
      const frames = run([start, ...blocks, ...end("tool_use")]);
      expect(deltas(frames)).toEqual([
        { role: "assistant", content: "" },
        { reasoning_content: "hm" },
        { reasoning_details: [{ type: "reasoning.text", text: "", signature: "sig" }] },
        { content: "so" },
        { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } }] },
        { tool_calls: [{ index: 0, function: { arguments: '{"x"' } }] },
        { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] },
        { tool_calls: [{ index: 1, id: "b", type: "function", function: { name: "g", arguments: "" } }] },
        { tool_calls: [{ index: 1, function: { arguments: '{"y":2}' } }] },
        {},
      ]);
      expect(frames.at(-1)).toEqual({});
    });

    it.each([
      ["end_turn", "stop"],
      ["stop_sequence", "stop"],
      ["pause_turn", "stop"],
      ["max_tokens", "length"],
      ["model_context_window_exceeded", "length"],
      ["tool_use", "tool_calls"],
      ["refusal", "content_filter"],
    ])("B4.56 %s finishes as %s", (reason, expected) => {
      const frames = run([start, ...end(reason)], false);
      expect(frames.findLast(({ choices }) => choices?.[0]?.finish_reason)?.choices?.[0]?.finish_reason).toBe(expected);
      expect(frames.some(({ usage }) => usage !== undefined)).toBe(false);
    });

    it("B4.57 the prompt counts what was cached, in a last chunk without choices", () => {
      const frames = run([start, ...blocks, ...end("end_turn")]);
      const cost = frames.find(({ usage }) => usage !== undefined);
      expect(cost?.choices).toEqual([]);
      expect(cost?.usage).toMatchObject({
        prompt_tokens: 10,
        completion_tokens: 9,
        total_tokens: 19,
        prompt_tokens_details: { cached_tokens: 5 },
      });
    });
  });
});
