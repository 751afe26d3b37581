// TanStack AI: one middleware. Run: BASE_URL=http://127.0.0.1:4141/v1 node examples/tanstack-ai.ts
import { midfold } from "@midfold/adapters/tanstack";
import { chat } from "@tanstack/ai";
import { createOpenaiChat } from "@tanstack/ai-openai";

const { BASE_URL = "http://127.0.0.1:4141/v1" } = process.env;
const messages = Array.from({ length: 241 }, (_, index) =>
  index % 2 === 0
    ? { role: "user" as const, content: `Note ${index}` }
    : { role: "assistant" as const, content: `Noted ${index}. ${"It is in the book. ".repeat(20)}` },
);
const text = await chat({
  adapter: createOpenaiChat("gpt-4o", "none", { baseURL: BASE_URL }),
  messages,
  stream: false,
  middleware: [midfold({ window: 8_000, maxOutputTokens: 500 })],
});
console.log(`answered: ${text}`);
