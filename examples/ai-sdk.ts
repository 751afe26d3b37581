// In the AI SDK, fold in `prepareStep`: every step of an agent loop then fits. Run: node examples/ai-sdk.ts
import { prepareStep } from "@midfold/adapters/ai-sdk";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";

let step = 0;
const seen: number[] = [];
const model = new MockLanguageModelV4({
  modelId: "gpt-4o",
  doGenerate: async ({ prompt }) => {
    seen.push(JSON.stringify(prompt).length);
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never;
    if (step++ === 30)
      return {
        content: [{ type: "text", text: "Done." }],
        finishReason: { unified: "stop", raw: "stop" },
        usage,
        warnings: [],
      };
    const call = {
      type: "tool-call",
      toolCallId: `call_${step}`,
      toolName: "read",
      input: JSON.stringify({ page: step }),
    } as const;
    return { content: [call], finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage, warnings: [] };
  },
});

const { text } = await generateText({
  model,
  prompt: "Read all pages. Never skip one.",
  tools: {
    read: tool({
      inputSchema: jsonSchema<{ page: number }>({ type: "object", properties: { page: { type: "number" } } }),
      execute: async () => "A line of the page.\n".repeat(120),
    }),
  },
  stopWhen: stepCountIs(40),
  prepareStep: prepareStep({ window: 8_000, maxOutputTokens: 500 }),
});

console.log(`${text} after ${seen.length} steps; largest prompt ${Math.max(...seen)} characters`);
