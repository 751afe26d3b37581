// Mastra: one input processor. Run: BASE_URL=http://127.0.0.1:4141/v1 node examples/mastra.ts
import { Agent } from "@mastra/core/agent";
import { midfold } from "@midfold/adapters/mastra";

const { BASE_URL = "http://127.0.0.1:4141/v1", MODEL = "gpt-4o" } = process.env;
const agent = new Agent({
  id: "clerk",
  name: "clerk",
  instructions: "You keep the books.",
  model: { id: `midfold/${MODEL}`, url: BASE_URL, apiKey: "none" },
  inputProcessors: [midfold({ window: 8_000, maxOutputTokens: 500 })],
});

const messages = Array.from({ length: 241 }, (_, index) =>
  index % 2 === 0
    ? { role: "user" as const, content: `Note ${index}` }
    : { role: "assistant" as const, content: `Noted ${index}. ${"It is in the book. ".repeat(20)}` },
);
const { text } = await agent.generate(messages);
console.log(`answered: ${text}`);
