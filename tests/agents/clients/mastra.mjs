import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { description, key, model, runShell, steps, task, url } from "./run-shell.mjs";

const bash = createTool({
  id: "bash",
  description,
  inputSchema: z.object({ command: z.string() }),
  execute: async (input) => runShell(input.context ?? input),
});
const provider = createOpenAICompatible({ name: "loopback", baseURL: `${url}/v1`, apiKey: key });
const agent = new Agent({ id: "loop", name: "loop", instructions: "Work.", model: provider(model), tools: { bash } });
const { text } = await agent.generate(task, { maxSteps: steps });
process.stdout.write(`${text}\n`);
