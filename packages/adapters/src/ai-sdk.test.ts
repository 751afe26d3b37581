import { createOpenAI } from "@ai-sdk/openai";
import { fold } from "@midfold/core";
import {
  convertToModelMessages,
  generateText,
  jsonSchema,
  stepCountIs,
  streamText,
  tool,
  type UIMessage,
  wrapLanguageModel,
} from "ai";
import { describe, expect, it } from "vitest";
import { midfold, prepareStep } from "./ai-sdk.ts";
import { longChat, startProvider, window } from "./long-chat.test-data.ts";
import { aiSdkSummarizer } from "./summarizers.ts";

const connect = (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "k" }).chat("gpt-4o");
const reply = () => ({ text: "INV-7000" });
const common = { maxOutputTokens: 500, maxRetries: 0 } as const;

describe("AI SDK", () => {
  it("middleware: a model that refused a long conversation answers it", async () => {
    const provider = await startProvider({ protocol: "openai-chat", script: reply });
    const bare = connect(provider.url);
    await expect(generateText({ model: bare, messages: longChat, ...common })).rejects.toThrow(/context/);
    const model = wrapLanguageModel({ model: bare, middleware: midfold({ window }) });
    expect((await generateText({ model, system: "You keep the books.", messages: longChat, ...common })).text).toBe(
      "INV-7000",
    );
    const { textStream } = streamText({ model, messages: longChat, ...common });
    let text = "";
    for await (const delta of textStream) text += delta;
    expect(text).toBe("INV-7000");
    expect(provider.counts).toMatchObject({ overflows: 1, answered: 2, invalid: 0 });
  });

  it.each(["middleware", "prepareStep"] as const)("%s: every step of a long tool loop fits", async (way) => {
    let step = 0;
    const provider = await startProvider({
      protocol: "openai-chat",
      script: () => (++step <= 25 ? { calls: [{ name: "read", input: { page: step } }] } : { text: "Done." }),
    });
    const bare = connect(provider.url);
    const read = tool({
      inputSchema: jsonSchema<{ page: number }>({ type: "object", properties: { page: { type: "number" } } }),
      execute: async ({ page }) => `Page ${page}. ${"A line of the page.\n".repeat(120)}`,
    });
    const result = await generateText({
      model: way === "middleware" ? wrapLanguageModel({ model: bare, middleware: midfold({ window }) }) : bare,
      prompt: "Read all pages. Never skip one.",
      tools: { read },
      stopWhen: stepCountIs(40),
      ...(way === "prepareStep" ? { prepareStep: prepareStep({ window, maxOutputTokens: 500 }) } : {}),
      ...common,
    });
    expect(result.text).toBe("Done.");
    expect(provider.counts).toMatchObject({ answered: 26, overflows: 0, invalid: 0 });
  });

  it("UI messages: folded as they are, then converted and sent", async () => {
    const provider = await startProvider({ protocol: "openai-chat", script: reply });
    const messages: UIMessage[] = longChat.map(({ role, content }, index) => ({
      id: `m${index}`,
      role,
      parts: [{ type: "text", text: content }],
    }));
    const folded = await fold(messages, { model: "gpt-4o", window, maxOutputTokens: 500 });
    const { text } = await generateText({
      model: connect(provider.url),
      messages: await convertToModelMessages(folded.messages),
      ...common,
    });
    expect(text).toBe("INV-7000");
  });

  it("a summary by a language model", async () => {
    const provider = await startProvider({
      protocol: "openai-chat",
      script: () => ({ text: "Invoices from INV-7000 on." }),
    });
    const model = connect(provider.url);
    const folded = await fold(longChat, { model: "gpt-4o", window, summarizer: aiSdkSummarizer(model) });
    expect(folded.state).toMatchObject({ by: "summary", model: "gpt-4o" });
  });
});
