import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Agent, task } from "./agent.ts";

// Agents that are commands and speak Chat Completions, each started as its own documentation says.

/** What a person would copy from the model's own page. */
const believedWindow = 200_000;

const qwenCode: Agent = {
  name: "qwen-code",
  packageName: "@qwen-code/qwen-code",
  protocols: ["openai-chat"],
  shellCall: (tools, command) =>
    tools.includes("run_shell_command")
      ? { name: "run_shell_command", input: { command, is_background: false } }
      : undefined,
  launch({ installed, home, url }) {
    return {
      command: process.execPath,
      args: [
        join(installed, "node_modules", "@qwen-code", "qwen-code", "cli-entry.js"),
        "--auth-type",
        "openai",
        "--approval-mode",
        "yolo",
        task,
      ],
      env: {
        HOME: home,
        OPENAI_API_KEY: "sk-loopback",
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_MODEL: "sim-model",
        QWEN_TELEMETRY_ENABLED: "false",
      },
    };
  },
};

const pi: Agent = {
  name: "pi",
  packageName: "@mariozechner/pi-coding-agent",
  protocols: ["openai-chat"],
  shellCall: (tools, command) => (tools.includes("bash") ? { name: "bash", input: { command } } : undefined),
  launch({ installed, home, url, window, told }) {
    const folder = join(home, ".pi", "agent");
    mkdirSync(folder, { recursive: true });
    const model = {
      id: "sim-model",
      name: "sim-model",
      reasoning: false,
      input: ["text"],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: told ? window : believedWindow,
      maxTokens: told ? 4_000 : 8_000,
    };
    writeFileSync(
      join(folder, "models.json"),
      JSON.stringify({
        providers: {
          loopback: { baseUrl: `${url}/v1`, apiKey: "sk-loopback", api: "openai-completions", models: [model] },
        },
      }),
    );
    return {
      command: process.execPath,
      args: [
        join(installed, "node_modules", "@mariozechner", "pi-coding-agent", "dist", "cli.js"),
        "--print",
        "--offline",
        "--no-session",
        "--provider",
        "loopback",
        "--model",
        "sim-model",
        task,
      ],
      env: { HOME: home, PI_OFFLINE: "1" },
    };
  },
};

const grok: Agent = {
  name: "grok-cli",
  packageName: "@vibe-kit/grok-cli",
  protocols: ["openai-chat"],
  shellCall: (tools, command) => (tools.includes("bash") ? { name: "bash", input: { command } } : undefined),
  launch({ installed, home, url }) {
    return {
      command: process.execPath,
      args: [
        join(installed, "node_modules", "@vibe-kit", "grok-cli", "dist", "index.js"),
        "--prompt",
        task,
        "--model",
        "sim-model",
        "--max-tool-rounds",
        "400",
      ],
      env: { HOME: home, GROK_API_KEY: "sk-loopback", GROK_BASE_URL: `${url}/v1` },
    };
  },
};

/** Agents that are installed as a command and run one task without a person in front of them. */
export const commandClients: readonly Agent[] = [qwenCode, pi, grok];
