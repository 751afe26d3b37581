import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  isBaseMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { midfold, trimMessages } from "./langchain.ts";
import { longChat, startProvider, window } from "./long-chat.test-data.ts";

const connect = (url: string) =>
  new ChatOpenAI({
    model: "gpt-4o",
    apiKey: "k",
    maxTokens: 500,
    maxRetries: 0,
    configuration: { baseURL: `${url}/v1` },
  });
const history = (): BaseMessage[] => [
  new SystemMessage("You keep the books."),
  ...longChat.map(({ role, content }) => (role === "user" ? new HumanMessage(content) : new AIMessage(content))),
];

describe("LangChain", () => {
  it("middleware: an agent's long history is sent folded, and its state keeps everything", async () => {
    const provider = await startProvider({ protocol: "openai-chat", script: () => ({ text: "INV-7000" }) });
    const model = connect(provider.url);
    await expect(createAgent({ model, tools: [] }).invoke({ messages: longChat })).rejects.toThrow(/context/);
    const agent = createAgent({
      model,
      tools: [],
      systemPrompt: "You keep the books.",
      middleware: [midfold({ window })],
    });
    const { messages } = await agent.invoke({ messages: longChat });
    expect(messages).toHaveLength(longChat.length + 1);
    expect(messages.at(-1)?.text).toBe("INV-7000");
    expect(provider.counts).toMatchObject({ answered: 1, overflows: 1, invalid: 0 });
  });

  it("middleware: every step of a long tool loop fits", async () => {
    let step = 0;
    const provider = await startProvider({
      protocol: "openai-chat",
      script: () => (++step <= 12 ? { calls: [{ name: "read", input: { page: step } }] } : { text: "Done." }),
    });
    const read = tool(({ page }) => `Page ${page}. ${"A line of the page.\n".repeat(250)}`, {
      name: "read",
      description: "Reads a page.",
      schema: z.object({ page: z.number() }),
    });
    const agent = createAgent({
      model: connect(provider.url),
      tools: [read],
      middleware: [midfold({ window, maxOutputTokens: 500 })],
    });
    const { messages } = await agent.invoke(
      { messages: [{ role: "user", content: "Read all pages." }] },
      { recursionLimit: 80 },
    );
    expect(messages.at(-1)?.text).toBe("Done.");
    expect(provider.counts).toMatchObject({ answered: 13, overflows: 0, invalid: 0 });
  });

  it("trimMessages: called as LangChain's is", async () => {
    const provider = await startProvider({ protocol: "openai-chat", script: () => ({ text: "INV-7000" }) });
    const model = connect(provider.url);
    const messages = history();
    const trimmed = await trimMessages(messages, {
      maxTokens: 4_000,
      tokenCounter: model,
      strategy: "last",
      startOn: "human",
      includeSystem: true,
    });
    expect(trimmed.every(isBaseMessage)).toBe(true);
    expect(trimmed[0]).toBe(messages[0]);
    expect(trimmed.at(-1)).toBe(messages.at(-1));
    expect((await model.invoke(trimmed)).text).toBe("INV-7000");
    expect(provider.requests[0]?.outcome.inputTokens).toBeLessThanOrEqual(4_000);
  });

  it("trimMessages: a counter of one's own decides what fits, and pairs stay whole", async () => {
    const messages: BaseMessage[] = [new HumanMessage("go")];
    for (let turn = 0; turn < 30; turn++) {
      messages.push(
        new AIMessage({ content: "", tool_calls: [{ id: `c${turn}`, name: "f", args: {} }] }),
        new ToolMessage({ tool_call_id: `c${turn}`, content: "x" }),
      );
    }
    messages.push(new HumanMessage("and now?"));
    const trimmed = await trimMessages(messages, { maxTokens: 11, tokenCounter: (list) => list.length });
    expect(trimmed.length).toBeLessThanOrEqual(11);
    const calls = trimmed.flatMap((message) => (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []));
    const results = trimmed.filter(ToolMessage.isInstance);
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(calls.map(({ id }) => id));
    expect(calls.length).toBeGreaterThan(0);
  });

  it("trimMessages: what it does not do is refused", async () => {
    const options = { maxTokens: 100, strategy: "first" } as never;
    await expect(trimMessages(history(), options)).rejects.toThrow(/keeps the newest/);
    const counting = { maxTokens: 100, tokenCounter: async () => 1 };
    await expect(trimMessages(history(), counting)).rejects.toThrow(/must count at once/);
  });
});
