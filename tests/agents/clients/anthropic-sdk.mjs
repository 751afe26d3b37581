import Anthropic from "@anthropic-ai/sdk";
import { description, key, model, runShell, schema, steps, task, url } from "./run-shell.mjs";

const client = new Anthropic({ baseURL: url, apiKey: key });
const tools = [{ name: "bash", description, input_schema: schema }];
const messages = [{ role: "user", content: task }];
for (let step = 0; step < steps; step++) {
  const { content } = await client.messages.create({ model, max_tokens: 4000, messages, tools });
  messages.push({ role: "assistant", content });
  const calls = content.filter(({ type }) => type === "tool_use");
  if (calls.length === 0) break;
  const results = calls.map(({ id, input }) => ({ type: "tool_result", tool_use_id: id, content: runShell(input) }));
  messages.push({ role: "user", content: results });
}
process.stdout.write(`${JSON.stringify(messages.at(-1))}\n`);
