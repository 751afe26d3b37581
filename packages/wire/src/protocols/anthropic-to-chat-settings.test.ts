import { isMidfoldError } from "@midfold/core";
import { describe, expect, it } from "vitest";
import type { ProviderKind } from "../traits/traits-of.ts";
import {
  anthropic,
  assistant,
  base,
  bodyOf,
  type Message,
  text,
  translate,
  user,
} from "./anthropic-to-chat.test-data.ts";

describe("B1 Anthropic tools and settings to OpenAI chat", () => {
  it("B1.16 cache marks go, the session becomes the upstream's cache key, and OpenRouter gets marks of its own", () => {
    const cached = { ...text("hi"), cache_control: { type: "ephemeral" } };
    const metadata = { user_id: JSON.stringify({ device_id: "d", session_id: "s-1" }) };
    const body = bodyOf({ messages: [user([cached, text("x")])], metadata }, "openai");
    expect(JSON.stringify(body)).not.toContain("cache_control");
    expect(body.prompt_cache_key).toBe("s-1");
    expect(
      bodyOf({ messages: [user("a")], metadata: { user_id: "user_1_account__session_s-2" } }, "openai"),
    ).toMatchObject({
      prompt_cache_key: "s-2",
    });
    const marked = JSON.stringify(bodyOf({ system: "S", messages: [user("a")] }, "openrouter"));
    expect(marked.match(/cache_control/g)).toHaveLength(2);
  });

  describe("B1.17 tools", () => {
    it("carry name, description and schema and nothing else", () => {
      const schema = { type: "object", properties: { a: true, b: { $ref: "#/$defs/x" } }, $defs: { x: {} } };
      const tool = {
        name: "f",
        description: "d",
        input_schema: schema,
        type: "custom",
        defer_loading: false,
        eager_input_streaming: true,
        input_examples: [{}],
        cache_control: { type: "ephemeral" },
        allowed_callers: ["direct"],
      };
      expect(bodyOf({ messages: [user("x")], tools: [tool] }).tools).toEqual([
        { type: "function", function: { name: "f", description: "d", parameters: schema } },
      ]);
    });
    it("without a schema take nothing; hosted ones are dropped; no tools, no field", () => {
      const { body, dropped } = translate({
        messages: [user("x")],
        tools: [{ type: "web_search_20250305", name: "web_search" }],
        tool_choice: { type: "any" },
      });
      expect(body).not.toHaveProperty("tools");
      expect(body).not.toHaveProperty("tool_choice");
      expect(dropped).toContain("tool:web_search");
      expect(bodyOf({ messages: [user("x")], tools: [{ name: "f" }] }).tools).toEqual([
        { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } },
      ]);
    });
    it("lose the keywords a reduced schema dialect refuses, but no property of that name", () => {
      const schema = {
        $schema: "x",
        type: "object",
        additionalProperties: false,
        properties: { format: { type: "string", format: "uri" }, kind: { const: "a" } },
      };
      const [tool] = bodyOf({ messages: [user("x")], tools: [{ name: "f", input_schema: schema }] }, "gemini")
        .tools as Message[];
      expect((tool!.function as Message).parameters).toEqual({
        type: "object",
        properties: { format: { type: "string" }, kind: { enum: ["a"] } },
      });
    });
    it("that are deferred all show when the provider was to search them", () => {
      const tools = [
        { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
        { name: "Far", input_schema: { type: "object" }, defer_loading: true },
      ];
      expect(bodyOf({ messages: [user("x")], tools }).tools).toHaveLength(1);
    });
  });

  it("B1.18 tool choice and parallel calls", () => {
    const tools = [{ name: "f", input_schema: { type: "object" } }];
    const choose = (choice: object, kind?: ProviderKind) =>
      bodyOf({ messages: [user("x")], tools, tool_choice: choice }, kind);
    expect(choose({ type: "auto" }).tool_choice).toBe("auto");
    expect(choose({ type: "any" }).tool_choice).toBe("required");
    expect(choose({ type: "any" }, "ollama").tool_choice).toBe("auto");
    expect(choose({ type: "none" }).tool_choice).toBe("none");
    expect(choose({ type: "tool", name: "f" }).tool_choice).toEqual({ type: "function", function: { name: "f" } });
    expect(choose({ type: "auto", disable_parallel_tool_use: true }).parallel_tool_calls).toBe(false);
    expect(choose({ type: "auto" })).not.toHaveProperty("parallel_tool_calls");
  });

  it("B1.19 the answer's limit goes into the field the upstream knows", () => {
    expect(bodyOf({ messages: [user("x")] })).toMatchObject({ max_tokens: 100 });
    expect(bodyOf({ messages: [user("x")] }, "openai")).toMatchObject({ max_completion_tokens: 100 });
  });

  it("B1.20 stop sequences beyond the upstream's limit are kept for local enforcement", () => {
    const { body, localStops } = translate({ messages: [user("x")], stop_sequences: ["a", "b", "c", "d", "e", ""] });
    expect(body.stop).toEqual(["a", "b", "c", "d"]);
    expect(localStops).toEqual(["e"]);
  });

  it("B1.21 sampling settings go where they are accepted", () => {
    const settings = { messages: [user("x")], temperature: 0.5, top_p: 0.9, top_k: 40 };
    expect(bodyOf(settings)).toMatchObject({ temperature: 0.5, top_p: 0.9 });
    expect(bodyOf(settings)).not.toHaveProperty("top_k");
    expect(bodyOf(settings, "vllm")).toMatchObject({ top_k: 40 });
    const { body, dropped } = translate(settings, "openai", { sampling: false });
    expect(body).not.toHaveProperty("temperature");
    expect(dropped).toEqual(expect.arrayContaining(["temperature", "top_p", "top_k"]));
  });

  it("B1.22 a user id of any length becomes a hash of at most 64 characters", () => {
    const metadata = { user_id: JSON.stringify({ device_id: "d".repeat(100), session_id: "s" }) };
    expect(bodyOf({ messages: [user("x")], metadata }).user).toMatch(/^[0-9a-f]{64}$/);
    expect(bodyOf({ messages: [user("x")], metadata }, "openai").safety_identifier).toMatch(/^[0-9a-f]{64}$/);
  });

  it("B1.23 thinking becomes an effort the upstream has", () => {
    const think = (thinking: object, more: object = {}, kind: ProviderKind = "openai") =>
      bodyOf({ messages: [user("x")], thinking, ...more }, kind);
    expect(think({ type: "disabled" }).reasoning_effort).toBe("none");
    expect(think({ type: "enabled", budget_tokens: 2_000 }).reasoning_effort).toBe("low");
    expect(think({ type: "enabled", budget_tokens: 10_000 }).reasoning_effort).toBe("medium");
    expect(think({ type: "enabled", budget_tokens: 32_000 }).reasoning_effort).toBe("high");
    expect(think({ type: "adaptive" }).reasoning_effort).toBe("medium");
    expect(think({ type: "adaptive" }, { output_config: { effort: "max" } }).reasoning_effort).toBe("xhigh");
    expect(think({ type: "adaptive" }, { output_config: { effort: "max" } }, "vllm").reasoning_effort).toBe("high");
    expect(think({ type: "adaptive" }, {}, "openrouter").reasoning).toEqual({ effort: "medium" });
    expect(think({ type: "disabled" }, {}, "vllm")).not.toHaveProperty("reasoning_effort");
    const hidden = anthropic.decodeRequest({
      ...base,
      messages: [user("x")],
      thinking: { type: "adaptive", display: "omitted" },
    });
    expect(hidden.reasoning).toEqual({ effort: "medium", hidden: true });
  });

  it("B1.24 structured output becomes a strict response format, or words where there is none", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "object", properties: { c: {} } } },
    };
    const body = { messages: [user("x")], output_config: { format: { type: "json_schema", schema } } };
    expect(bodyOf(body).response_format).toEqual({
      type: "json_schema",
      json_schema: {
        name: "response",
        strict: true,
        schema: {
          ...schema,
          properties: {
            ...schema.properties,
            b: { type: "object", properties: { c: {} }, additionalProperties: false, required: ["c"] },
          },
          additionalProperties: false,
          required: ["a", "b"],
        },
      },
    });
    const loose = bodyOf(body, "deepseek");
    expect(loose.response_format).toEqual({ type: "json_object" });
    expect(JSON.stringify(loose.messages)).toContain("JSON schema");
    expect(bodyOf({ messages: [user("x")], output_format: { type: "json_schema", schema } })).toHaveProperty(
      "response_format",
    );
  });

  it("B1.25 a stream asks for its usage", () => {
    expect(bodyOf({ messages: [user("x")], stream: true })).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(bodyOf({ messages: [user("x")], stream: true }, "generic", { streamUsage: false })).not.toHaveProperty(
      "stream_options",
    );
  });

  it("B1.26 the start of an answer is continued where that is possible, and trimmed", () => {
    const messages = [user("x"), assistant("The answer is \n")];
    expect(bodyOf({ messages }, "vllm")).toMatchObject({ continue_final_message: true, add_generation_prompt: false });
    const plain = translate({ messages });
    expect(plain.prefill).toBe("The answer is");
    expect((plain.body.messages as Message[]).at(-1)).toEqual(assistant("The answer is"));
  });

  it("B1.28 switches of the provider are ignored and named", () => {
    const { dropped } = translate({
      messages: [user("x")],
      service_tier: "auto",
      container: "c",
      mcp_servers: [],
      betas: ["b"],
      inference_geo: "us",
    });
    expect(dropped).toEqual(["service_tier", "container", "mcp_servers", "betas", "inference_geo"]);
  });

  it("a body that is no request is refused in words", () => {
    for (const body of [null, [], "x", {}, { model: "m" }, { model: "m", messages: {} }, { messages: [] }]) {
      try {
        anthropic.decodeRequest(body);
        expect.unreachable();
      } catch (error) {
        expect(isMidfoldError(error, "VALIDATION_ERROR")).toBe(true);
      }
    }
    expect(() => anthropic.decodeRequest({ model: "m", messages: [{ role: "narrator", content: "x" }] })).toThrow(
      /messages\[0\]: role/,
    );
  });
});
