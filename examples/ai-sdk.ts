// AI SDK: fold in `prepareStep`, and every step of an agent loop fits. For calls of the model that have no steps there is the
// middleware `midfold()` for `wrapLanguageModel`. Run: BASE_URL=http://127.0.0.1:4141/v1 node examples/ai-sdk.ts
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { prepareStep } from "@midfold/adapters/ai-sdk";
import { generateText, type ModelMessage } from "ai";

const { BASE_URL = "http://127.0.0.1:4141/v1", MODEL = "gpt-4o" } = process.env;
const provider = createOpenAICompatible({ name: "any", baseURL: BASE_URL, apiKey: "none" });

const messages: ModelMessage[] = [];
for (let page = 0; page < 60; page++) {
  const call = { toolCallId: `call_${page}`, toolName: "read" };
  messages.push(
    { role: "user", content: `Read page ${page}. Never skip one.` },
    { role: "assistant", content: [{ type: "tool-call", ...call, input: { page } }] },
    {
      role: "tool",
      content: [{ type: "tool-result", ...call, output: { type: "text", value: "A line of it.\n".repeat(60) } }],
    },
    { role: "assistant", content: `Page ${page} is read.` },
  );
}
messages.push({ role: "user", content: "Which page did you read first?" });

const { text } = await generateText({
  model: provider(MODEL),
  messages,
  maxOutputTokens: 500,
  prepareStep: prepareStep({ window: 8_000, maxOutputTokens: 500 }),
});
console.log(`answered: ${text}`);
