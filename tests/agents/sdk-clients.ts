import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SimulatedProtocol } from "@midfold/testkit";
import { type Agent, task } from "./agent.ts";

const scripts = fileURLToPath(new URL("clients", import.meta.url));

/** A program of a few lines around an SDK, with one tool: what people build who write their own agent. */
function sdkClient(
  name: string,
  packages: readonly [string, ...string[]],
  script: string,
  protocol: SimulatedProtocol,
  args: readonly string[] = [],
): Agent {
  const [packageName, ...alsoInstall] = packages;
  return {
    name,
    packageName,
    alsoInstall,
    protocols: [protocol],
    shellCall: (tools, command) => {
      const name = tools.find((tool) => tool.toLowerCase() === "bash");
      return name === undefined ? undefined : { name, input: { command } };
    },
    launch({ installed, home, url }) {
      // Beside the packages, so that its imports are found.
      const folder = join(installed, "clients");
      mkdirSync(folder, { recursive: true });
      for (const file of readdirSync(scripts)) copyFileSync(join(scripts, file), join(folder, file));
      return {
        command: process.execPath,
        args: [join(folder, script), ...args],
        env: { HOME: home, MIDFOLD_TASK: task, MIDFOLD_URL: url, MIDFOLD_MODEL_NAME: "sim-model" },
      };
    },
  };
}

const aiSdk = ["ai", "@ai-sdk/openai", "@ai-sdk/anthropic", "@ai-sdk/openai-compatible", "zod"] as const;
const langchain = ["langchain", "@langchain/openai", "@langchain/anthropic", "@langchain/core"] as const;

/** Clients that are libraries: each speaks one protocol to whatever address it is given. */
export const sdkClients: readonly Agent[] = [
  sdkClient("ai-sdk-chat", aiSdk, "ai-sdk.mjs", "openai-chat", ["chat"]),
  sdkClient("ai-sdk-anthropic", aiSdk, "ai-sdk.mjs", "anthropic-messages", ["anthropic"]),
  sdkClient("ai-sdk-responses", aiSdk, "ai-sdk.mjs", "openai-responses", ["responses"]),
  sdkClient("openai-sdk", ["openai"], "openai-sdk.mjs", "openai-chat"),
  sdkClient("anthropic-sdk", ["@anthropic-ai/sdk"], "anthropic-sdk.mjs", "anthropic-messages"),
  sdkClient("openai-agents", ["@openai/agents", "openai", "zod"], "openai-agents.mjs", "openai-responses"),
  sdkClient("openai-agents-chat", ["@openai/agents", "openai", "zod"], "openai-agents.mjs", "openai-chat", ["chat"]),
  sdkClient("langchain-chat", langchain, "langchain.mjs", "openai-chat", ["chat"]),
  sdkClient("langchain-anthropic", langchain, "langchain.mjs", "anthropic-messages", ["anthropic"]),
  sdkClient("deepagents", ["deepagents", ...langchain], "deepagents.mjs", "openai-chat"),
  sdkClient("claude-agent-sdk", ["@anthropic-ai/claude-agent-sdk"], "claude-agent-sdk.mjs", "anthropic-messages"),
  sdkClient("mastra", ["@mastra/core", "@ai-sdk/openai-compatible", "zod"], "mastra.mjs", "openai-chat"),
];
