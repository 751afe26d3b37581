import { describe, expect, it } from "vitest";
import type { ProviderKind } from "../traits/traits-of.ts";
import { traitsOf } from "../traits/traits-of.ts";
import { openSummary, sealSummary } from "../translate/sealed-summary.ts";
import { chunk, options, reply, translateChunks } from "./neutral.test-data.ts";
import { encodeCompaction } from "./openai-responses/compaction.ts";
import { hasCompactionTrigger } from "./openai-responses/openai-responses.ts";
import { protocols } from "./protocols.ts";

const { "openai-responses": responses, "openai-chat": chat, "anthropic-messages": anthropic } = protocols;

type Body = Record<string, unknown>;

const decode = (body: object) => responses.decodeRequest({ model: "m", ...body });
const toChat = (body: object, kind: ProviderKind = "generic") => chat.encodeRequest(decode(body), traitsOf(kind));
const messagesOf = (input: unknown) => toChat({ input }).body.messages as Body[];

describe("B5 the Responses API", () => {
  it("B5.58 every kind of item finds its place in a chat", () => {
    expect(messagesOf("hello")).toEqual([{ role: "user", content: "hello" }]);
    const messages = toChat({
      instructions: "Be brief.",
      input: [
        { type: "message", role: "developer", content: [{ type: "input_text", text: "Rules" }] },
        {
          role: "user",
          content: [
            { type: "input_text", text: "look" },
            { type: "input_image", image_url: "https://x.test/i.png" },
          ],
        },
        { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "blob" },
        {
          type: "message",
          role: "assistant",
          content: [
            { type: "output_text", text: "ok" },
            { type: "refusal", refusal: "no" },
          ],
        },
        { type: "web_search_call", id: "w", status: "completed", action: { type: "search", query: "q" } },
        { type: "function_call", call_id: "a", name: "f", arguments: '{"x":1}' },
        { type: "custom_tool_call", call_id: "b", name: "patch", input: "*** begin" },
        { type: "local_shell_call", call_id: "c", action: { type: "exec", command: ["ls"] }, status: "completed" },
        { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "A" }] },
        { type: "custom_tool_call_output", call_id: "b", output: "B" },
        { type: "local_shell_call_output", call_id: "c", output: "C" },
        { type: "item_reference", id: "zzz" },
        { role: "user", content: "next" },
      ],
    }).body.messages as Body[];
    expect(messages[0]).toEqual({ role: "system", content: "Be brief.\n\nRules" });
    expect(messages.map((message) => message.role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "tool",
      "user",
    ]);
    const said = messages[2] as { content: unknown; tool_calls: Body[] };
    expect(JSON.stringify(said.content)).toMatch(/ok.*no.*web_search: q/);
    expect(said.tool_calls.map((call) => (call.function as Body).arguments)).toEqual([
      '{"x":1}',
      '{"input":"*** begin"}',
      '{"type":"exec","command":["ls"]}',
    ]);
    expect(messages.slice(3, 6).map((message) => message.content)).toEqual(["A", "B", "C"]);
  });

  it("B5.59 tools of every kind: custom as a function and back, namespaces opened and closed, hosted ones dropped", () => {
    const tools = [
      { type: "function", name: "f", parameters: { type: "object" }, strict: false },
      {
        type: "custom",
        name: "apply_patch",
        description: "d",
        format: { type: "grammar", syntax: "lark", definition: "start: x" },
      },
      { type: "namespace", name: "git", tools: [{ type: "function", name: "status", parameters: { type: "object" } }] },
      { type: "web_search" },
      { type: "image_generation" },
    ];
    const request = decode({ input: "x", tools });
    const encoded = chat.encodeRequest(request, traitsOf("generic"));
    const offered = (encoded.body.tools as Body[]).map((tool) => tool.function as Body);
    expect(offered.map((tool) => tool.name)).toEqual(["f", "apply_patch", "git__status"]);
    expect(offered[1]?.description).toBe("d\n\nThe input must match this lark grammar:\nstart: x");
    expect(encoded.dropped).toEqual(["tool:web_search", "tool:image_generation"]);

    const frames = translateChunks(
      [
        chunk({
          tool_calls: [{ index: 0, id: "a", function: { name: "apply_patch", arguments: '{"input":"*** be' } }],
        }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: 'gin\\nx"}' } }] }),
        chunk(
          { tool_calls: [{ index: 1, id: "b", function: { name: "git__status", arguments: "{}" } }] },
          "tool_calls",
        ),
        "[DONE]",
      ],
      options("openai-chat", "openai-responses", { request: encoded, reply: { ...reply, request } }),
    );
    const items = frames.filter(({ type }) => type === "response.output_item.done").map(({ data }) => data.item);
    expect(items).toMatchObject([
      { type: "custom_tool_call", call_id: "a", name: "apply_patch", input: "*** begin\nx" },
      { type: "function_call", call_id: "b", name: "status", namespace: "git", arguments: "{}" },
    ]);
  });

  it("B5.60 stored responses are unknown; the rest of the state is tolerated", () => {
    expect(() => decode({ input: "x", previous_response_id: "resp_9" })).toThrow(
      expect.objectContaining({
        status: 400,
        details: expect.objectContaining({ code: "previous_response_not_found" }),
      }),
    );
    try {
      decode({ input: "x", previous_response_id: "resp_9" });
    } catch (error) {
      expect(responses.encodeError(error as never, "r").body).toMatchObject({
        error: { code: "previous_response_not_found", param: "previous_response_id" },
      });
    }
    const body = { input: "x", store: true, include: ["reasoning.encrypted_content"], prompt_cache_key: "s" };
    expect(decode(body).cacheKey).toBe("s");
    expect(toChat(body, "openai")).toMatchObject({ body: { prompt_cache_key: "s" }, dropped: [] });
  });

  it("B5.61 all events, numbered without a gap, items announced, filled and closed", () => {
    const frames = translateChunks(
      [
        chunk({ reasoning_content: "hm" }),
        chunk({ content: "Hi" }),
        chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "{}" } }] }, "tool_calls"),
        {
          choices: [],
          usage: { prompt_tokens: 5, completion_tokens: 6, completion_tokens_details: { reasoning_tokens: 2 } },
        },
        "[DONE]",
      ],
      options("openai-chat", "openai-responses"),
    );
    expect(frames.map(({ data }) => data.sequence_number)).toEqual(frames.map((_, at) => at));
    expect(frames.map(({ type }) => type.replace("response.", ""))).toEqual([
      ...["created", "in_progress"],
      ...["output_item.added", "reasoning_summary_part.added", "reasoning_summary_text.delta"],
      ...["reasoning_summary_text.done", "reasoning_summary_part.done", "output_item.done"],
      ...[
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
      ],
      ...["output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done"],
      "completed",
    ]);
    expect(frames.at(-1)?.data.response).toMatchObject({
      status: "completed",
      usage: { input_tokens: 5, output_tokens: 6, total_tokens: 11, output_tokens_details: { reasoning_tokens: 2 } },
      output: [{ type: "reasoning" }, { type: "message" }, { type: "function_call" }],
    });
  });

  it("B5.61 a limit makes the response incomplete, an error makes it fail with the code its clients look for", () => {
    const cut = translateChunks(
      [chunk({ content: "Hi" }, "length"), "[DONE]"],
      options("openai-chat", "openai-responses"),
    );
    expect(cut.at(-1)).toMatchObject({
      type: "response.incomplete",
      data: { response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } } },
    });
    const overflow = { error: { message: "prompt is too long: 9 tokens > 8 maximum", code: 400 } };
    expect(translateChunks([overflow], options("openai-chat", "openai-responses")).at(-1)).toMatchObject({
      type: "response.failed",
      data: { response: { status: "failed", error: { code: "context_length_exceeded" } } },
    });
  });

  it("B5.61 streams of a Responses upstream reach other clients, even when only whole items are sent", () => {
    const events = [
      { type: "response.created", response: { id: "r", model: "up" } },
      {
        type: "response.output_item.done",
        output_index: 0,
        item: {
          type: "reasoning",
          id: "rs",
          summary: [{ type: "summary_text", text: "hm" }],
          encrypted_content: "blob",
        },
      },
      {
        type: "response.output_item.done",
        output_index: 1,
        item: { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] },
      },
      {
        type: "response.output_item.done",
        output_index: 2,
        item: { type: "function_call", call_id: "a", name: "f", arguments: '{"x":1}' },
      },
      {
        type: "response.completed",
        response: {
          status: "completed",
          usage: { input_tokens: 7, output_tokens: 3, input_tokens_details: { cached_tokens: 2 } },
        },
      },
    ];
    const frames = translateChunks(events, options("openai-responses", "anthropic-messages"));
    const text = JSON.stringify(frames);
    expect(text).toContain('"thinking":"hm"');
    expect(text).toContain("midfold.sealed.blob");
    expect(frames.at(-2)?.data).toMatchObject({
      delta: { stop_reason: "tool_use" },
      usage: { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 3 },
    });
    const replayed = anthropic.decodeRequest({
      model: "m",
      messages: [
        { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "midfold.sealed.blob" }] },
      ],
    });
    const [item] = responses.encodeRequest(replayed, traitsOf("openai")).body.input as Body[];
    expect(item).toEqual({
      type: "reasoning",
      summary: [{ type: "summary_text", text: "hm" }],
      encrypted_content: "blob",
    });
  });

  it("B5.62 compaction: the trigger item, the answer, the way back, and the token count", () => {
    expect(hasCompactionTrigger([{ role: "user", content: "x" }, { type: "compaction_trigger" }])).toBe(true);
    expect(hasCompactionTrigger([{ role: "user", content: "x" }])).toBe(false);
    const sealed = sealSummary("What happened: äöü");
    expect(openSummary(sealed)).toBe("What happened: äöü");
    expect(openSummary("gAAAA")).toBeUndefined();
    const compacted = encodeCompaction({
      id: "resp_1",
      createdAt: 1,
      kept: [{ type: "message", role: "user", content: "keep" }],
      sealed,
      usage: { inputTokens: 10, outputTokens: 2 },
    }) as { object: string; output: Body[] };
    expect(compacted).toMatchObject({
      object: "response.compaction",
      output: [{}, { type: "compaction", id: "cmp_1" }],
    });
    const next = messagesOf([...compacted.output, { role: "user", content: "go on" }]);
    expect(next).toEqual([
      { role: "user", content: "What happened: äöü" },
      { role: "user", content: "go on" },
    ]);
    expect(responses.encodeTokenCount(7)).toEqual({ object: "response.input_tokens", input_tokens: 7 });
  });
});
