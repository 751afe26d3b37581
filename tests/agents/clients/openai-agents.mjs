import { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { description, key, model, runShell, schema, steps, task, url } from "./run-shell.mjs";

setTracingDisabled(true);
setOpenAIAPI(process.argv[2] === "chat" ? "chat_completions" : "responses");
setDefaultOpenAIClient(new OpenAI({ baseURL: `${url}/v1`, apiKey: key }));
const bash = tool({
  name: "bash",
  description,
  parameters: schema,
  strict: false,
  execute: async (input) => runShell(input),
});
const agent = new Agent({ name: "loop", instructions: "Work through the notes.", model, tools: [bash] });
const { finalOutput } = await run(agent, task, { maxTurns: steps });
process.stdout.write(`${finalOutput}\n`);
