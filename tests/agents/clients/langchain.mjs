import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { description, key, model, runShell, schema, steps, task, url } from "./run-shell.mjs";

const models = {
  chat: () => new ChatOpenAI({ model, apiKey: key, configuration: { baseURL: `${url}/v1` } }),
  anthropic: () => new ChatAnthropic({ model, apiKey: key, maxTokens: 4000, anthropicApiUrl: url }),
};
const bash = tool(async (input) => runShell(input), { name: "bash", description, schema });
const agent = createAgent({ model: models[process.argv[2]](), tools: [bash] });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: task }] }, { recursionLimit: steps * 3 });
process.stdout.write(`${messages.at(-1).content}\n`);
