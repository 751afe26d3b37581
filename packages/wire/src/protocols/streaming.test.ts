import { describe, expect, it } from "vitest";
import { createBodyCollector, streamAnswer } from "../translate/translate-reply.ts";
import { blocksOf, last, summary } from "./message-stream.test-data.ts";
import { chunk, noRequest, options, readFrames, reply, translateChunks } from "./neutral.test-data.ts";
import { protocols } from "./protocols.ts";

const call = (index: number | undefined, fields: { id?: string; name?: string; arguments?: unknown }) => ({
  ...(index === undefined ? {} : { index }),
  ...(fields.id === undefined ? {} : { id: fields.id }),
  function: {
    ...(fields.name === undefined ? {} : { name: fields.name }),
    ...(fields.arguments === undefined ? {} : { arguments: fields.arguments }),
  },
});
const calls = (...list: object[]) => chunk({ tool_calls: list });
const done = "[DONE]";
const stop = chunk({}, "stop");

describe("B3 streams", () => {
  it("B3.36 B3.37 follow the grammar, and start with a complete usage", () => {
    const frames = translateChunks([chunk({ role: "assistant", content: "" }), chunk({ content: "Hi" }), stop, done]);
    expect(frames.map(({ type }) => type)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(frames[0]?.data.message).toEqual({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "asked-for",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 42, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
    });
  });

  it("B3.38 B3.48 an error after the start is an error event and nothing more", () => {
    const frames = translateChunks([chunk({ content: "Hi" }), { error: { message: "boom", code: 503 } }, stop, done]);
    expect(frames.at(-1)).toEqual({
      type: "error",
      data: { type: "error", error: { type: "overloaded_error", message: "boom" } },
    });
    expect(frames.map(({ type }) => type)).not.toContain("message_stop");
  });

  it("B3.39 every protocol has a frame that says nothing", () => {
    expect(readFrames(protocols["openai-chat"].keepAlive)).toEqual([]);
    expect(readFrames(protocols["openai-responses"].keepAlive)).toEqual([]);
    expect(readFrames(protocols["anthropic-messages"].keepAlive)).toEqual([{ event: "ping", data: '{"type":"ping"}' }]);
  });

  it("B3.40 a leading chunk opens nothing, empty deltas are never sent", () => {
    const frames = translateChunks([chunk({ role: "assistant", content: "" }), chunk({ content: "" }), stop, done]);
    expect(blocksOf(frames)).toEqual([]);
  });

  it("B3.42 text, thoughts and calls in any order and any number of chunks", () => {
    const mixed = {
      reasoning_content: "hm",
      content: "so",
      tool_calls: [call(0, { id: "a", name: "f", arguments: "{}" })],
    };
    expect(summary(translateChunks([chunk(mixed, "tool_calls"), done]))).toEqual([
      ["thinking", "", "hm"],
      ["text", "", "so"],
      ["tool_use", "f", "{}"],
    ]);
    const late = [
      calls(call(0, { id: "a", name: "f", arguments: "{}" })),
      chunk({ content: "after" }),
      chunk({}, "stop"),
    ];
    expect(summary(translateChunks([...late, done]))).toEqual([
      ["tool_use", "f", "{}"],
      ["text", "", "after"],
    ]);
    expect(summary(translateChunks([chunk({ content: "a" }, "stop"), chunk({ content: "b" }), done]))).toEqual([
      ["text", "", "ab"],
    ]);
  });

  describe("B3.43 usage", () => {
    const usage = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } };
    const expected = {
      input_tokens: 40,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 60,
      output_tokens: 7,
    };
    const hi = chunk({ content: "Hi there you" });
    it.each([
      ["in a chunk of its own", [hi, stop, { choices: [], usage }]],
      ["in the last chunk", [hi, { ...stop, usage }]],
      [
        "in every chunk",
        [
          { ...hi, usage: { ...usage, completion_tokens: 1 } },
          { ...stop, usage },
        ],
      ],
    ])("%s", (_, chunks) => {
      expect(last(translateChunks([...chunks, done])).usage).toEqual(expected);
    });
    it("is estimated when there is none", () => {
      expect(last(translateChunks([hi, stop, done])).usage).toMatchObject({ input_tokens: 42, output_tokens: 3 });
    });
  });

  it("B3.44 the stream ends with [DONE] or the connection; without a finish it is broken", () => {
    expect(translateChunks([chunk({ content: "a" }), stop]).at(-1)?.type).toBe("message_stop");
    expect(translateChunks([chunk({ content: "a" }), done]).at(-1)?.type).toBe("message_stop");
    const cut = translateChunks([chunk({ content: "a" })]).at(-1);
    expect(cut).toMatchObject({ type: "error", data: { error: { type: "overloaded_error" } } });
    expect(translateChunks([chunk({ role: "assistant" }), done]).at(-1)?.type).toBe("error");
    expect(translateChunks(["{not json"]).at(-1)?.type).toBe("error");
  });

  it("B3.46 a thought ends with its signature", () => {
    const details = [{ type: "reasoning.text", text: "", signature: "sig" }];
    const frames = translateChunks([
      chunk({ reasoning: "hm" }),
      chunk({ reasoning_details: details }),
      chunk({ content: "so" }),
      stop,
      done,
    ]);
    const signatures = frames.filter(({ data }) => (data.delta as Record<string, unknown>)?.type === "signature_delta");
    expect(signatures.map(({ data }) => (data.delta as Record<string, unknown>).signature)).toEqual(["sig"]);
    expect(blocksOf(frames)[0]?.last).toBe("signature_delta");
    const sealed = translateChunks([chunk({ reasoning: "hm" }), chunk({ content: "so" }), stop, done]);
    expect(JSON.stringify(sealed)).toContain("midfold.unsigned");
    const hidden = options("openai-chat", "anthropic-messages", { reply: { ...reply, hideReasoning: true } });
    expect(
      summary(translateChunks([chunk({ reasoning: "hm" }), chunk({ content: "so" }), stop, done], hidden)),
    ).toEqual([["text", "", "so"]]);
  });

  it("B3.46 redacted thoughts carry their data from the start", () => {
    const events = [
      { type: "message_start", message: { id: "m", usage: { input_tokens: 1, output_tokens: 0 } } },
      { type: "content_block_start", index: 0, content_block: { type: "redacted_thinking", data: "blob" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ];
    const frames = translateChunks(events, options("anthropic-messages", "anthropic-messages"));
    expect(blocksOf(frames)).toMatchObject([{ start: { type: "redacted_thinking", data: "blob" } }]);
  });

  it("B3.47 the last delta names the stop sequence, or null", () => {
    expect(last(translateChunks([chunk({ content: "a" }), stop, done])).delta).toEqual({
      stop_reason: "end_turn",
      stop_sequence: null,
    });
    const request = { ...noRequest, localStops: ["END"] };
    const stopped = options("openai-chat", "anthropic-messages", { request });
    const frames = translateChunks([chunk({ content: "one E" }), chunk({ content: "ND two" }), stop, done], stopped);
    expect(summary(frames)).toEqual([["text", "", "one "]]);
    expect(last(frames).delta).toEqual({ stop_reason: "stop_sequence", stop_sequence: "END" });
  });

  it("B3.50 a body becomes a stream, and a stream becomes a body", () => {
    const body = { id: "c", choices: [{ message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }] };
    const translation = options("openai-chat", "anthropic-messages");
    const frames = readFrames(streamAnswer(translation.upstream.decodeResponse(body), translation));
    expect(frames.map(({ event }) => event)).toContain("message_stop");
    const collector = createBodyCollector(options("openai-chat", "anthropic-messages"));
    for (const part of [chunk({ content: "Hi" }), stop]) collector.push({ event: "", data: JSON.stringify(part) });
    expect(collector.end()).toMatchObject({ type: "message", content: [{ type: "text", text: "Hi" }] });
    const broken = createBodyCollector(options("openai-chat", "anthropic-messages"));
    broken.push({ event: "", data: JSON.stringify(chunk({ content: "Hi" })) });
    expect(() => broken.end()).toThrow(/ended before it was finished/);
  });
});
