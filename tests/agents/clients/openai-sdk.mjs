import OpenAI from "openai";
import { description, key, model, runShell, schema, steps, task, url } from "./run-shell.mjs";

const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key });
const runner = client.chat.completions.runTools(
  {
    model,
    messages: [{ role: "user", content: task }],
    tools: [
      {
        type: "function",
        function: { name: "bash", description, parameters: schema, parse: JSON.parse, function: runShell },
      },
    ],
  },
  { maxChatCompletions: steps },
);
process.stdout.write(`${await runner.finalContent()}\n`);
