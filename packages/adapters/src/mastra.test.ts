import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { longChat, startProvider, window } from "./long-chat.test-data.ts";
import { midfold } from "./mastra.ts";

const modelAt = (url: string) => ({ id: "sim/gpt-4o", url: `${url}/v1`, apiKey: "k" }) as const;

describe("Mastra", () => {
  it("processor: a long conversation is answered", async () => {
    const provider = await startProvider({
      protocol: "openai-chat",
      unknownFields: "ignore",
      script: () => ({ text: "INV-7000" }),
    });
    const settings = { id: "clerk", name: "clerk", instructions: "You keep the books.", model: modelAt(provider.url) };
    const bare = new Agent(settings);
    await expect(bare.generate(longChat, { modelSettings: { maxRetries: 0 } })).rejects.toThrow(/context/);
    const agent = new Agent({ ...settings, inputProcessors: [midfold({ window, maxOutputTokens: 500 })] });
    expect((await agent.generate(longChat)).text).toBe("INV-7000");
    expect(provider.counts).toMatchObject({ answered: 1, invalid: 0 });
  });

  it("processor: every step of a long tool loop fits", async () => {
    let step = 0;
    const provider = await startProvider({
      protocol: "openai-chat",
      unknownFields: "ignore",
      script: () => (++step <= 12 ? { calls: [{ name: "read", input: { page: step } }] } : { text: "Done." }),
    });
    const read = createTool({
      id: "read",
      description: "Reads a page.",
      inputSchema: z.object({ page: z.number() }),
      execute: async ({ page }) => ({ text: `Page ${page}. ${"A line of the page.\n".repeat(250)}` }),
    });
    const agent = new Agent({
      id: "reader",
      name: "reader",
      instructions: "Read.",
      model: modelAt(provider.url),
      tools: { read },
      inputProcessors: [midfold({ window, maxOutputTokens: 500 })],
    });
    expect((await agent.generate("Read all pages.", { maxSteps: 20 })).text).toContain("Done.");
    expect(provider.counts).toMatchObject({ answered: 13, overflows: 0, invalid: 0 });
  });
});
