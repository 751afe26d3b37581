import { chat, toolDefinition } from "@tanstack/ai";
import { createOpenaiChat } from "@tanstack/ai-openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { longChat, startProvider, window } from "./long-chat.test-data.ts";
import { midfold } from "./tanstack.ts";

const connect = (url: string) => createOpenaiChat("gpt-4o", "k", { baseURL: `${url}/v1`, maxRetries: 0 });

describe("TanStack AI", () => {
  it("middleware: a long conversation is answered", async () => {
    const provider = await startProvider({
      protocol: ["openai-chat", "openai-responses"],
      unknownFields: "ignore",
      script: () => ({ text: "INV-7000" }),
    });
    const text = await chat({
      adapter: connect(provider.url),
      messages: longChat,
      systemPrompts: ["You keep the books."],
      stream: false,
      middleware: [midfold({ window, maxOutputTokens: 500 })],
    });
    expect(text).toBe("INV-7000");
    expect(provider.counts).toMatchObject({ answered: 1, overflows: 0, invalid: 0 });
  });

  it("middleware: every step of a long tool loop fits", async () => {
    let step = 0;
    const provider = await startProvider({
      protocol: ["openai-chat", "openai-responses"],
      unknownFields: "ignore",
      script: () => (++step <= 8 ? { calls: [{ name: "read", input: { page: step } }] } : { text: "Done." }),
    });
    const read = toolDefinition({
      name: "read",
      description: "Reads a page.",
      inputSchema: z.object({ page: z.number() }),
    }).server(({ page }) => `Page ${page}. ${"A line of the page.\n".repeat(400)}`);
    const text = await chat({
      adapter: connect(provider.url),
      messages: [{ role: "user", content: "Read all pages." }],
      tools: [read],
      stream: false,
      agentLoopStrategy: ({ iterationCount }) => iterationCount < 20,
      middleware: [midfold({ window, maxOutputTokens: 500 })],
    });
    expect(text).toContain("Done.");
    expect(provider.counts).toMatchObject({ answered: 9, overflows: 0, invalid: 0 });
  });
});
