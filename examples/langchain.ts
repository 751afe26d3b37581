// LangChain: one middleware, and the agent's state keeps everything. Run: BASE_URL=http://127.0.0.1:4141/v1 node examples/langchain.ts
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { midfold, trimMessages } from "@midfold/adapters/langchain";
import { createAgent } from "langchain";

const { BASE_URL = "http://127.0.0.1:4141/v1", MODEL = "gpt-4o" } = process.env;
const model = new ChatOpenAI({ model: MODEL, apiKey: "none", maxTokens: 500, configuration: { baseURL: BASE_URL } });
const agent = createAgent({ model, tools: [], middleware: [midfold({ window: 8_000 })] });

const messages: BaseMessage[] = [];
for (let turn = 0; turn < 120; turn++) {
  messages.push(new HumanMessage(`Note ${turn}`), new AIMessage(`Noted ${turn}. ${"It is in the book. ".repeat(20)}`));
}
messages.push(new HumanMessage("How many notes?"));

const state = await agent.invoke({ messages });
console.log(`answered: ${state.messages.at(-1)?.text}; the state has ${state.messages.length} messages`);

// In place of LangChain's trimMessages: the same call.
const trimmed = await trimMessages(messages, {
  maxTokens: 2_000,
  tokenCounter: model,
  strategy: "last",
  includeSystem: true,
});
console.log(`trimmed: ${messages.length} → ${trimmed.length}: ${(await model.invoke(trimmed)).text}`);
