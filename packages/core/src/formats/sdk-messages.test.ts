import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { convertToModelMessages, generateText, type ModelMessage, type UIMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import { foldSync } from "../fold/fold-sync.ts";
import { detectFormat } from "./detect-format.ts";

const words = (turn: number) =>
  `Turn ${turn}: the invoice ${4000 + turn} is late. ${"Some more words follow here. ".repeat(12)}`;
const options = { model: "gpt-4o", window: 6_000, maxOutputTokens: 500 } as const;
const presetNames = ["agent", "compact", "chat", "sandwich", "proxy"] as const;

describe("LangChain messages", () => {
  const messages: BaseMessage[] = [new SystemMessage("You keep the books.")];
  for (let turn = 0; turn < 50; turn++) {
    messages.push(
      new HumanMessage(words(turn)),
      new AIMessage({ content: "", tool_calls: [{ id: `call_${turn}`, name: "look_up", args: { turn } }] }),
      new ToolMessage({ tool_call_id: `call_${turn}`, name: "look_up", content: words(turn).repeat(2) }),
      new AIMessage(`It is noted. ${words(turn)}`),
    );
  }
  messages.push(new HumanMessage("And the first one?"));

  it.each(presetNames)("instances are folded by the %s preset, and a model takes what comes out", async (preset) => {
    const result = foldSync(messages, { ...options, preset });
    expect(detectFormat(messages).name).toBe("langchain");
    expect(result.outcome).toBe("folded");
    expect(result.messages.at(-1)).toBe(messages.at(-1));
    expect(result.messages[0]).toBe(messages[0]);
    expect(result.tokens.after).toBeLessThanOrEqual(result.tokens.budget);
    const answer = await new FakeListChatModel({ responses: ["4000"] }).invoke(result.messages);
    expect(answer.content).toBe("4000");
    for (const message of result.messages) {
      if (message instanceof ToolMessage) expect(message.tool_call_id).toMatch(/^call_/);
    }
  });

  it("a clipped tool result is still a ToolMessage with its id", () => {
    const big = new ToolMessage({ tool_call_id: "c", content: words(1).repeat(300), id: "kept" });
    const call = new AIMessage({ content: "", tool_calls: [{ id: "c", name: "f", args: {} }] });
    const result = foldSync([new HumanMessage("go"), call, big], options);
    const clipped = result.messages[2] as ToolMessage;
    expect(clipped).toBeInstanceOf(ToolMessage);
    expect(clipped).toMatchObject({ tool_call_id: "c", id: "kept" });
    expect((clipped.content as string).length).toBeLessThan((big.content as string).length);
    expect(JSON.stringify(clipped)).toContain(JSON.stringify(clipped.content).slice(0, 200));
    expect((big.content as string).length).toBe(words(1).length * 300);
  });

  it("stored messages come out as stored messages", () => {
    const stored = mapChatMessagesToStoredMessages(messages);
    const result = foldSync(stored, options);
    expect(result.outcome).toBe("folded");
    const back = mapStoredMessagesToChatMessages(result.messages);
    expect(back).toHaveLength(result.messages.length);
    expect(back.at(-1)?.text).toBe("And the first one?");
  });

  it.each([
    ["as JSON.stringify writes them", JSON.parse(JSON.stringify(messages)) as object[]],
    ["as LangGraph sends them", messages.map((message) => ({ type: message.type, ...message.toDict().data }))],
  ])("%s they count the same and stay in that spelling", (_, list) => {
    const result = foldSync(list, options);
    expect(result.outcome).toBe("folded");
    expect(result.tokens.before).toBe(foldSync(messages, options).tokens.before);
    expect(new Set(result.messages.map((message) => Object.keys(message)[0]))).toEqual(
      new Set([Object.keys(list[0]!)[0]]),
    );
  });
});

describe("AI SDK UI messages", () => {
  const messages: UIMessage[] = Array.from({ length: 121 }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    parts: [{ type: "text", text: words(index) }],
  }));

  it.each(presetNames)("what the %s preset makes of them converts to model messages", async (preset) => {
    const result = foldSync(messages, { ...options, preset });
    expect(result.outcome).toBe("folded");
    expect(result.messages.every((message) => Array.isArray(message.parts) && message.id !== "")).toBe(true);
    expect(new Set(result.messages.map(({ id }) => id)).size).toBe(result.messages.length);
    const converted = await convertToModelMessages(result.messages);
    expect(converted.length).toBe(result.messages.length);
    expect(JSON.stringify(converted)).toContain("Turn 120");
  });
});

describe("language model prompts", () => {
  const chat: ModelMessage[] = Array.from({ length: 101 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: words(index),
  }));

  it.each(presetNames)("what the %s preset makes of one has parts where parts belong", async (preset) => {
    let prompt: readonly object[] = [];
    const model = new MockLanguageModelV4({
      doGenerate: async (call) => {
        prompt = call.prompt;
        const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never;
        return {
          content: [{ type: "text", text: "ok" }],
          finishReason: { unified: "stop", raw: "stop" },
          usage,
          warnings: [],
        };
      },
    });
    await generateText({ model, system: "You keep the books.", messages: chat });
    expect(prompt).toHaveLength(102);
    const result = foldSync(prompt as { role: string; content: unknown }[], { ...options, preset });
    expect(result.outcome).toBe("folded");
    for (const { role, content } of result.messages) {
      expect(role === "system" ? typeof content === "string" : Array.isArray(content)).toBe(true);
    }
  });
});
