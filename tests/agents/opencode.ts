import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SimulatedProtocol } from "@midfold/testkit";
import { type Agent, task } from "./agent.ts";

const adapters: Readonly<Record<SimulatedProtocol, string>> = {
  "openai-chat": "@ai-sdk/openai-compatible",
  "anthropic-messages": "@ai-sdk/anthropic",
  "openai-responses": "@ai-sdk/openai",
};

export const opencode: Agent = {
  name: "opencode",
  packageName: "opencode-ai",
  protocols: ["openai-chat", "anthropic-messages", "openai-responses"],
  shellCall: (tools, command) =>
    tools.includes("bash") ? { name: "bash", input: { command, description: "Read the next note" } } : undefined,
  launch({ installed, home, url, protocol, window, told }) {
    // OpenCode cannot run without being told some window: what a person would copy from the model's own page.
    const limit = told ? { context: window, output: 4_000 } : { context: 200_000, output: 8_000 };
    const provider = {
      npm: adapters[protocol],
      options: { baseURL: `${url}/v1`, apiKey: "sk-loopback" },
      models: { "sim-model": { name: "sim-model", limit } },
    };
    const folder = join(home, ".config", "opencode");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "opencode.json"),
      JSON.stringify({
        autoupdate: false,
        share: "disabled",
        provider: { loopback: provider },
        permission: { "*": "allow" },
      }),
    );
    return {
      command: join(installed, "node_modules", `opencode-${process.platform}-${process.arch}`, "bin", "opencode"),
      args: ["run", "--model", "loopback/sim-model", task],
      env: { HOME: home, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    };
  },
};
