import { MidfoldError, type Part } from "@midfold/core";
import { describe, expect, it } from "vitest";
import type { NeutralResponse } from "../neutral/neutral-response.ts";
import type { StreamEvent } from "../neutral/stream-event.ts";
import { createResponseCollector } from "./collect-response.ts";
import { createPartOrder } from "./order-parts.ts";
import { prepareTools } from "./prepare-tools.ts";
import { replayResponse } from "./replay-response.ts";

const collect = (events: readonly StreamEvent[]) => {
  const collector = createResponseCollector();
  for (const event of events) collector.push(event);
  return collector.result();
};

describe("a stream gathered into a whole answer", () => {
  it("has each part as it grew, in their order, with usage and the reason it ended", () => {
    expect(
      collect([
        { type: "response-start", id: "r", model: "m" },
        { type: "tool-call-start", index: 2, id: "c", name: "read" },
        { type: "reasoning-start", index: 0, opaque: "o" },
        { type: "reasoning-delta", index: 0, text: "h" },
        { type: "reasoning-delta", index: 0, text: "m" },
        { type: "reasoning-end", index: 0, signature: "s" },
        { type: "text-start", index: 1 },
        { type: "text-delta", index: 1, text: "He" },
        { type: "tool-call-delta", index: 2, text: '{"a":' },
        { type: "text-delta", index: 1, text: "llo" },
        { type: "text-end", index: 1 },
        { type: "tool-call-end", index: 2 },
        { type: "part-available", index: 3, part: { type: "other", kind: "x", value: 1 } as Part },
        { type: "usage-available", usage: { inputTokens: 3, outputTokens: 4 } },
        { type: "finish", reason: "stop-sequence", stopSequence: "END" },
      ]),
    ).toEqual({
      id: "r",
      model: "m",
      parts: [
        { type: "reasoning", text: "hm", opaque: "o", signature: "s" },
        { type: "text", text: "Hello" },
        { type: "tool-call", id: "c", name: "read", input: '{"a":null}' },
        { type: "other", kind: "x", value: 1 },
      ],
      usage: { inputTokens: 3, outputTokens: 4 },
      finish: "stop-sequence",
      stopSequence: "END",
    });
  });

  it("leaves out texts without a word, and free text as it is", () => {
    const finish = { type: "finish", reason: "stop" } as const;
    expect(collect([{ type: "text-start", index: 0 }, { type: "text-end", index: 0 }, finish])).toEqual({
      parts: [],
      finish: "stop",
    });
    const custom: StreamEvent[] = [
      { type: "tool-call-start", index: 0, id: "c", name: "patch", custom: true, hosted: true },
      { type: "tool-call-delta", index: 0, text: "*** begin" },
      { type: "tool-call-end", index: 0 },
      finish,
    ];
    expect(collect(custom).parts).toEqual([
      { type: "tool-call", id: "c", name: "patch", input: "*** begin", custom: true, hosted: true },
    ]);
    // What belongs to no part is nobody's.
    expect(collect([{ type: "text-delta", index: 5, text: "x" }, finish]).parts).toEqual([]);
    expect(collect([{ type: "reasoning-end", index: 5, signature: "s" }, finish]).parts).toEqual([]);
    expect(collect([{ type: "tool-call-end", index: 5 }, finish]).parts).toEqual([]);
    expect(collect([{ type: "reasoning-start", index: 0 }, finish]).parts).toEqual([{ type: "reasoning", text: "" }]);
  });

  it("throws the stream's error, and says when it never ended", () => {
    const error = new MidfoldError("UPSTREAM_REJECTED", "no");
    expect(() => collect([{ type: "error", error }])).toThrow(error);
    expect(() =>
      collect([
        { type: "finish", reason: "stop" },
        { type: "error", error },
      ]),
    ).toThrow(error);
    expect(() => collect([{ type: "text-start", index: 0 }])).toThrow(
      expect.objectContaining({ code: "UPSTREAM_BROKEN", message: "The upstream's answer was never finished." }),
    );
  });
});

describe("a whole answer as a stream", () => {
  const answer: NeutralResponse = {
    id: "r",
    model: "m",
    parts: [
      { type: "reasoning", text: "hm", signature: "s" },
      { type: "reasoning", text: "", opaque: "o" },
      { type: "text", text: "Hello" },
      { type: "tool-call", id: "c", name: "read", input: "{}", hosted: true },
      { type: "tool-result", callId: "c", content: [] },
    ],
    finish: "stop-sequence",
    stopSequence: "END",
    usage: { inputTokens: 3, outputTokens: 4 },
  };

  it("tells every part from its start to its end", () => {
    expect(replayResponse(answer)).toEqual([
      { type: "response-start", id: "r", model: "m", usage: answer.usage },
      { type: "reasoning-start", index: 0 },
      { type: "reasoning-delta", index: 0, text: "hm" },
      { type: "reasoning-end", index: 0, signature: "s" },
      { type: "reasoning-start", index: 1, opaque: "o" },
      { type: "reasoning-end", index: 1, opaque: "o" },
      { type: "text-start", index: 2 },
      { type: "text-delta", index: 2, text: "Hello" },
      { type: "text-end", index: 2 },
      { type: "tool-call-start", index: 3, id: "c", name: "read", hosted: true },
      { type: "tool-call-delta", index: 3, text: "{}" },
      { type: "tool-call-end", index: 3 },
      { type: "part-available", index: 4, part: answer.parts[4] },
      { type: "usage-available", usage: answer.usage },
      { type: "finish", reason: "stop-sequence", stopSequence: "END" },
    ]);
    expect(collect(replayResponse(answer))).toEqual(answer);
  });

  it("has no deltas without words, and no usage where none was told", () => {
    const parts: Part[] = [
      { type: "text", text: "" },
      { type: "reasoning", text: "" },
      { type: "tool-call", id: "c", name: "read", input: "" },
      { type: "reasoning", text: "hm", opaque: "o" },
    ];
    const events = replayResponse({ parts, finish: "stop" });
    expect(events[0]).toEqual({ type: "response-start" });
    expect(events.at(-1)).toEqual({ type: "finish", reason: "stop" });
    expect(events.map(({ type }) => type).slice(1, -1)).toEqual([
      ...["text-start", "text-end", "reasoning-start", "reasoning-end", "tool-call-start", "tool-call-end"],
      ...["reasoning-start", "reasoning-delta", "reasoning-end"],
    ]);
    expect(events.at(-4)).toEqual({ type: "reasoning-start", index: 3 });
  });
});

describe("parts that come interleaved", () => {
  const start = (index: number) => ({ type: "tool-call-start", index, id: `c${index}`, name: "read" }) as const;
  const delta = (index: number, text: string) => ({ type: "tool-call-delta", index, text }) as const;
  const end = (index: number) => ({ type: "tool-call-end", index }) as const;
  const finish = { type: "finish", reason: "stop" } as const;
  const run = (events: readonly StreamEvent[]) => {
    const order = createPartOrder();
    return events.map((event) => order(event));
  };

  it("go out one after the other; what belongs to a later one waits", () => {
    expect(
      run([start(0), start(1), delta(1, "a"), delta(0, "b"), start(2), delta(1, "c"), end(0), end(1), end(2), finish]),
    ).toEqual([
      [start(0)],
      [],
      [],
      [delta(0, "b")],
      [],
      [],
      [end(0), start(1), delta(1, "a"), delta(1, "c")],
      [end(1), start(2)],
      [end(2)],
      [finish],
    ]);
  });

  it("one that ended while it waited makes room for the next at once; one that comes whole has no end", () => {
    const whole = { type: "part-available", index: 2, part: { type: "text", text: "x" } } as const;
    expect(run([start(0), start(1), end(1), whole, start(3), end(0), delta(3, "z")])).toEqual([
      [start(0)],
      [],
      [],
      [],
      [],
      [end(0), start(1), end(1), whole, start(3)],
      [delta(3, "z")],
    ]);
    expect(run([whole, start(0)])).toEqual([[whole], [start(0)]]);
  });

  it("what waits is dropped after an error, and usage never waits", () => {
    const error = { type: "error", error: new MidfoldError("UPSTREAM_BROKEN", "gone") } as const;
    const usage = { type: "usage-available", usage: { inputTokens: 1, outputTokens: 1 } } as const;
    expect(run([start(0), start(1), usage, error, end(0)])).toEqual([[start(0)], [], [usage], [error], [end(0)]]);
  });
});

describe("tools as they are offered", () => {
  const names = { toUpstream: new Map([["a.b", "a_b"]]), toClient: new Map() };
  const offer = (tools: readonly object[], messages: readonly object[] = []) => {
    const dropped: string[] = [];
    const request = { tools, messages } as never;
    const offered = prepareTools(request, names, { schema: "full" } as never, (what) => dropped.push(what));
    return { offered, dropped };
  };
  const schema = { type: "object", properties: {} };

  it("under their upstream names; those of another provider are dropped and named", () => {
    const { offered, dropped } = offer([
      { kind: "function", name: "a.b", description: "Reads.", schema, strict: true },
      { kind: "function", name: "c" },
      { kind: "hosted", name: "web_search" },
    ]);
    expect(offered).toEqual([
      { name: "a_b", description: "Reads.", strict: true, schema, custom: false },
      { name: "c", schema: { type: "object", properties: {} }, custom: false },
    ]);
    expect(dropped).toEqual(["tool:web_search"]);
  });

  it("of free text take one text, and say the grammar it must match", () => {
    const free = (source: object, description?: string) =>
      offer([{ kind: "custom", name: "patch", source, ...(description === undefined ? {} : { description }) }])
        .offered[0]!;
    const grammar = { syntax: "lark", definition: "start: x" };
    const rule = "The input must match this lark grammar:\nstart: x";
    expect(free({ custom: { format: { type: "grammar", grammar } } }, "Patches.")).toEqual({
      name: "patch",
      description: `Patches.\n\n${rule}`,
      schema: {
        type: "object",
        properties: { input: { type: "string" } },
        required: ["input"],
        additionalProperties: false,
      },
      custom: true,
    });
    expect(free({ format: grammar }).description).toBe(rule);
    expect(free({ format: { definition: "d" } }).description).toBe("The input must match this  grammar:\nd");
    expect(free({ format: { type: "text" } }, "Patches.").description).toBe("Patches.");
    expect("description" in free({})).toBe(false);
  });

  it("that are deferred appear once something refers to them, or nothing else could reveal them", () => {
    const tools = ["a", "b", "c", "d", "e"].map((name) => ({ kind: "function", name, deferred: true, schema }));
    const always = { kind: "function", name: "always", schema };
    const shown = (messages: readonly object[], more: readonly object[] = []) =>
      offer([always, ...tools, ...more], messages).offered.map(({ name }) => name);
    expect(shown([])).toEqual(["always"]);
    const called = { role: "assistant", parts: [{ type: "tool-call", id: "1", name: "a", input: "{}" }] };
    const content = [
      { type: "other", kind: "tool_reference", value: { tool_name: "b" } },
      { type: "other", kind: "x", value: { tool_references: [{ tool_name: "c" }, { tool_name: 7 }, 7] } },
      { type: "other", kind: "x", value: 7 },
      { type: "text", text: "d" },
    ];
    const found = { role: "tool", parts: [{ type: "tool-result", callId: "1", content }] };
    expect(shown([called, found])).toEqual(["always", "a", "b", "c"]);
    expect(shown([], [{ kind: "hosted", name: "tool_search_tool_bm25" }])).toHaveLength(6);
    expect(shown([], [{ kind: "hosted", name: "web_search" }])).toEqual(["always"]);
  });
});
