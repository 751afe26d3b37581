import { ChatOpenAI } from "@langchain/openai";
import { createDeepAgent } from "deepagents";
import { tool } from "langchain";
import { description, key, model, runShell, schema, steps, task, url } from "./run-shell.mjs";

const bash = tool(async (input) => runShell(input), { name: "bash", description, schema });
const chat = new ChatOpenAI({ model, apiKey: key, configuration: { baseURL: `${url}/v1` } });
const agent = createDeepAgent({ model: chat, tools: [bash] });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: task }] }, { recursionLimit: steps * 6 });
process.stdout.write(`${messages.at(-1).content}\n`);
