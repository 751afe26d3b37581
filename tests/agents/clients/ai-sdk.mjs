import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { description, key, model, runShell, schema, steps, task, url } from "./run-shell.mjs";

const options = { baseURL: `${url}/v1`, apiKey: key };
const models = {
  chat: () => createOpenAICompatible({ name: "loopback", ...options })(model),
  anthropic: () => createAnthropic(options)(model),
  responses: () => createOpenAI(options).responses(model),
};
const { text } = await generateText({
  model: models[process.argv[2]](),
  prompt: task,
  stopWhen: stepCountIs(steps),
  tools: { bash: tool({ description, inputSchema: jsonSchema(schema), execute: async (input) => runShell(input) }) },
});
process.stdout.write(`${text}\n`);
