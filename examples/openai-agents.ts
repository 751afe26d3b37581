// OpenAI Agents: a session that always fits. Run: BASE_URL=http://127.0.0.1:4141/v1 node examples/openai-agents.ts
import { midfoldSession } from "@midfold/adapters/openai-agents";
import { Agent, MemorySession, OpenAIResponsesModel, run, setTracingDisabled } from "@openai/agents";
import OpenAI from "openai";

setTracingDisabled(true);
const { BASE_URL = "http://127.0.0.1:4141/v1", MODEL = "gpt-4o" } = process.env;
const model = new OpenAIResponsesModel(new OpenAI({ baseURL: BASE_URL, apiKey: "none" }), MODEL);
const agent = new Agent({ name: "clerk", instructions: "You keep the books.", model });

const whole = new MemorySession();
for (let turn = 0; turn < 120; turn++) {
  const text = `Noted ${turn}. ${"It is in the book. ".repeat(20)}`;
  await whole.addItems([
    { type: "message", role: "user", content: `Note ${turn}` },
    { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] },
  ]);
}
const session = midfoldSession(whole, { model: MODEL, window: 8_000, maxOutputTokens: 500 });
const { finalOutput } = await run(agent, "How many notes?", { session });
console.log(`answered: ${finalOutput}; the session has ${(await whole.getItems()).length} items`);
