import { describe, expect, it } from "vitest";
import type { Summarizer, SummaryRequest } from "../summary/summarizer.ts";
import { compact, compactPreset } from "./compact.ts";
import { parseCompactConfig } from "./compact-config.ts";

const call = (id: string, text: string) => ({
  role: "assistant",
  content: text,
  tool_calls: [{ id, type: "function", function: { name: "read_file", arguments: '{"path":"a.ts"}' } }],
});
const result = (id: string, text: string) => ({ role: "tool", tool_call_id: id, content: text });

/** R4 5.2, made long enough to be worth compacting. */
const scenario = [
  { role: "user", content: "Can you debug this code?" },
  call("1", "Let me take a look."),
  result("1", "export function parse() { /* … */ }\n".repeat(60)),
  { role: "assistant", content: `I found the issue. ${"The error is not handled. ".repeat(40)}` },
  call("2", "Let me fix it."),
  result("2", "Success"),
  { role: "assistant", content: "The fix is applied. Here's what I changed: a try/catch block." },
  { role: "user", content: "Can you explain why that fixed it?" },
];

function model(text: string): Summarizer & { requests: SummaryRequest[] } {
  const requests: SummaryRequest[] = [];
  return {
    name: "model",
    requests,
    summarize: async (request) => {
      requests.push(request);
      return { text, finish: "complete" };
    },
  };
}

describe("R4 compact", () => {
  it("R4 5.2 turns the work between two user messages into one assistant message", async () => {
    const summarizer = model("<summary>I debugged the code and added try/catch.</summary>");
    const config = { message_threshold: 4, retention_window: 1, max_tokens: 2000 };
    const { messages } = await compact(scenario, config, { model: "gpt-4o", summarizer });
    expect(messages).toHaveLength(3);
    expect(messages[0]).toBe(scenario[0]);
    expect(messages[1]).toMatchObject({ role: "assistant" });
    expect(JSON.stringify(messages[1])).toContain("I debugged the code and added try/catch.");
    expect(messages[2]).toBe(scenario.at(-1));
  });

  it("R4 4.1 keeps every user message word for word and the newest messages whole", async () => {
    const long = Array.from({ length: 6 }, () => scenario).flat();
    const { messages } = await compact(long, { token_threshold: 1500, retention_window: 6 }, { model: "gpt-4o" });
    const users = long.filter((message) => message.role === "user");
    expect(messages.filter((message) => message.role === "user")).toEqual(users);
    expect(messages.slice(-6)).toEqual(long.slice(-6));
    expect(messages.length).toBeLessThan(long.length);
  });

  it("R4 4.1 compresses the earliest span first", async () => {
    const long = [...scenario, ...structuredClone(scenario), ...structuredClone(scenario)];
    const { messages } = await compact(
      long,
      { token_threshold: 2450, retention_window: 6 },
      { model: "gpt-4o", target: 0.95 },
    );
    expect(messages).toContain(long[9]);
    expect(messages).not.toContain(long[1]);
  });

  it.each([
    ["tokens", { token_threshold: 500 }],
    ["messages", { message_threshold: 5 }],
    ["turns", { turn_threshold: 1 }],
  ])("R4 4.2 triggers by %s", async (_, trigger) => {
    const { outcome } = await compact(scenario, { ...trigger, retention_window: 2 }, { model: "gpt-4o" });
    expect(outcome).toBe("folded");
  });

  it("R4 4.2 does nothing below the default threshold of 60 000 tokens", async () => {
    const { messages, outcome } = await compact(scenario, {}, { model: "gpt-4o" });
    expect(outcome).toBe("fits");
    expect(messages).toBe(scenario);
  });

  it("R4 4.2 uses a custom Handlebars prompt and takes the summary from its tag", async () => {
    const summarizer = model("noise <done>Only this.</done> noise");
    const config = {
      message_threshold: 4,
      retention_window: 1,
      prompt: "Retell: {{conversation_history}}",
      summary_tag: "done",
    };
    const { messages } = await compact(scenario, config, { model: "gpt-4o", summarizer });
    expect(summarizer.requests[0]?.prompt).toContain("Retell: ");
    expect(JSON.stringify(messages[1])).toContain("Only this.");
    expect(JSON.stringify(messages)).not.toContain("noise");
  });

  it("R4 4.2 has the defaults of the table", () => {
    expect(parseCompactConfig({})).toEqual({
      max_tokens: 2000,
      token_threshold: 60_000,
      retention_window: 6,
      summary_tag: "summary",
    });
    expect(compactPreset(parseCompactConfig({ max_tokens: 900 })).maxFrameTokens).toBe(900);
  });

  it.each([
    ["a list", [], /must be a block/],
    ["an unknown setting", { retention: 3 }, /compact\.retention is not a setting; known: max_tokens/],
    ["a negative number", { max_tokens: -1 }, /compact\.max_tokens must be a whole number/],
    ["an empty prompt", { prompt: "" }, /compact\.prompt must be a text/],
  ])("refuses %s by name", (_, block, message) => {
    expect(() => parseCompactConfig(block)).toThrow(message);
  });
});
