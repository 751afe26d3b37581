import { Agent, MemorySession, OpenAIResponsesModel, run, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { longChat, startProvider, window } from "./long-chat.test-data.ts";
import { midfoldFilter, midfoldSession } from "./openai-agents.ts";

setTracingDisabled(true);
const connect = (url: string) =>
  new OpenAIResponsesModel(new OpenAI({ baseURL: `${url}/v1`, apiKey: "k", maxRetries: 0 }) as never, "gpt-4o");
const options = { model: "gpt-4o", window, maxOutputTokens: 500 } as const;

describe("OpenAI Agents", () => {
  it("session: a run gets the folded history, the inner session keeps all of it", async () => {
    const provider = await startProvider({ protocol: "openai-responses", script: () => ({ text: "INV-7000" }) });
    const agent = new Agent({ name: "clerk", instructions: "You keep the books.", model: connect(provider.url) });
    const inner = new MemorySession();
    await inner.addItems(
      longChat
        .slice(0, -1)
        .map(({ role, content }) =>
          role === "user"
            ? { type: "message", role, content }
            : { type: "message", role, status: "completed", content: [{ type: "output_text", text: content }] },
        ),
    );
    await expect(run(agent, "Which came first?", { session: inner })).rejects.toThrow(/context/);
    const before = (await inner.getItems()).length;
    const result = await run(agent, "Which came first?", { session: midfoldSession(inner, options) });
    expect(result.finalOutput).toBe("INV-7000");
    expect((await inner.getItems()).length).toBe(before + 2);
    expect(provider.counts).toMatchObject({ answered: 1, invalid: 0 });
  });

  it("filter: every turn of a long tool loop fits", async () => {
    let step = 0;
    const provider = await startProvider({
      protocol: "openai-responses",
      script: () => (++step <= 12 ? { calls: [{ name: "read", input: { page: step } }] } : { text: "Done." }),
    });
    const read = tool({
      name: "read",
      description: "Reads a page.",
      parameters: z.object({ page: z.number() }),
      execute: ({ page }) => `Page ${page}. ${"A line of the page.\n".repeat(250)}`,
    });
    const agent = new Agent({ name: "reader", model: connect(provider.url), tools: [read] });
    const result = await run(agent, "Read all pages.", { maxTurns: 20, callModelInputFilter: midfoldFilter(options) });
    expect(result.finalOutput).toBe("Done.");
    expect(provider.counts).toMatchObject({ answered: 13, overflows: 0, invalid: 0 });
  });
});
