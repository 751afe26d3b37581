import { formats, type Message } from "@midfold/core";
import { describe, expect, it } from "vitest";
import { reply } from "../protocols/neutral.test-data.ts";
import { protocols } from "../protocols/protocols.ts";
import { applyContextEdits, clearedResult } from "./apply-context-edits.ts";

const { "anthropic-messages": anthropic } = protocols;
const countMessage = (message: Message) => JSON.stringify(message.parts.map(({ source: _, ...part }) => part)).length;

function editsOf(...edits: object[]) {
  const body = { model: "m", messages: [{ role: "user", content: "x" }], context_management: { edits } };
  return anthropic.decodeRequest(body).contextEdits;
}
const exchange = (id: string, name: string, size = 400) => [
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: `about ${id}`, signature: "s" },
      { type: "tool_use", id, name, input: { path: id } },
    ],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "x".repeat(size) }] },
];
const wire = [
  { role: "user", content: "go" },
  ...exchange("a", "read"),
  ...exchange("b", "keep"),
  ...exchange("c", "read"),
  { role: "assistant", content: [{ type: "text", text: "done" }] },
  { role: "user", content: "more" },
  ...exchange("d", "read"),
];
const messages = formats["anthropic-messages"].decode(wire);
const apply = (inputTokens: number, ...edits: object[]) =>
  applyContextEdits(messages, editsOf(...edits), { countMessage, inputTokens });
const clearedIds = (result: readonly Message[]) =>
  result.flatMap((message) =>
    message.parts.flatMap((part) =>
      part.type === "tool-result" && part.content[0]?.type === "text" && part.content[0].text === clearedResult
        ? [part.callId]
        : [],
    ),
  );

describe("B1.27 context edits a client asks for", () => {
  const clear = {
    type: "clear_tool_uses_20250919",
    trigger: { type: "input_tokens", value: 1000 },
    keep: { type: "tool_uses", value: 1 },
  };

  it("clear old tool results, keep the newest and the excluded ones, and report what was saved", () => {
    const { messages: next, applied } = apply(2000, { ...clear, exclude_tools: ["keep"] });
    expect(clearedIds(next)).toEqual(["a", "c"]);
    expect(applied).toEqual([{ type: "clear-tool-uses", clearedToolUses: 2, clearedInputTokens: expect.any(Number) }]);
    expect(next[0]).toBe(messages[0]);
    const sent = formats["anthropic-messages"].encode(next[2]!);
    expect(sent).toEqual({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", content: clearedResult }],
    });
    expect(anthropic.encodeResponse({ parts: [], finish: "stop" }, { ...reply, appliedEdits: applied })).toMatchObject({
      context_management: {
        applied_edits: [
          { type: "clear_tool_uses_20250919", cleared_tool_uses: 2, cleared_input_tokens: expect.any(Number) },
        ],
      },
    });
  });

  it("do nothing below their trigger, below their least saving, or twice", () => {
    expect(apply(1000, clear)).toEqual({ messages, applied: [] });
    expect(apply(2000, { ...clear, clear_at_least: { type: "input_tokens", value: 100_000 } }).applied).toEqual([]);
    expect(apply(2000, { ...clear, trigger: { type: "tool_uses", value: 4 } }).applied).toEqual([]);
    expect(apply(2000, { ...clear, trigger: { type: "tool_uses", value: 3 } }).applied).toHaveLength(1);
    const once = apply(2000, clear).messages;
    expect(applyContextEdits(once, editsOf(clear), { countMessage, inputTokens: 2000 }).applied).toEqual([]);
  });

  it("clear the arguments too when asked, of all tools or of some", () => {
    const inputs = (edit: object) =>
      apply(2000, edit).messages.flatMap((message) =>
        message.parts.flatMap((part) => (part.type === "tool-call" ? [part.input] : [])),
      );
    expect(inputs({ ...clear, clear_tool_inputs: true })).toEqual(["{}", "{}", "{}", '{"path":"d"}']);
    expect(inputs({ ...clear, clear_tool_inputs: ["keep"] })).toEqual([
      '{"path":"a"}',
      "{}",
      '{"path":"c"}',
      '{"path":"d"}',
    ]);
  });

  it("clear the thoughts of earlier turns", () => {
    const thoughts = (result: readonly Message[]) =>
      result.flatMap(({ parts }) => parts.filter(({ type }) => type === "reasoning"));
    const done = apply(10, { type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 1 } });
    expect(thoughts(done.messages)).toHaveLength(1);
    expect(done.applied).toEqual([{ type: "clear-thinking", clearedTurns: 1, clearedInputTokens: expect.any(Number) }]);
    expect(apply(10, { type: "clear_thinking_20251015", keep: "all" }).applied).toEqual([]);
  });

  it("ask for a compaction when its trigger is reached; unknown edits never fail", () => {
    const compact = {
      type: "compact_20260112",
      trigger: { type: "input_tokens", value: 5000 },
      instructions: "Keep names.",
    };
    expect(apply(6000, compact).compaction).toEqual({ instructions: "Keep names." });
    expect(apply(4000, compact).compaction).toBeUndefined();
    expect(apply(6000, { type: "sing_20300101" }, {}, { type: 7 })).toEqual({ messages, applied: [] });
  });
});
