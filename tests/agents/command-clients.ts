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

const nanocoder: Agent = {
  name: "nanocoder",
  packageName: "@nanocollective/nanocoder",
  protocols: ["openai-chat"],
  shellCall: (tools, command) =>
    tools.includes("execute_bash") ? { name: "execute_bash", input: { command } } : undefined,
  launch({ installed, home, workspace, url, window, told }) {
    const provider = {
      name: "loopback",
      baseUrl: `${url}/v1`,
      apiKey: "sk-loopback",
      models: ["sim-model"],
    };
    writeFileSync(
      join(workspace, "agents.config.json"),
      JSON.stringify({ nanocoder: { providers: [provider], disableToolModels: [] } }),
    );
    return {
      command: process.execPath,
      args: [
        join(installed, "node_modules", "@nanocollective", "nanocoder", "dist", "cli.js"),
        ...["--provider", "loopback", "--model", "sim-model", "--mode", "yolo", "--trust-directory", "--plain"],
        ...["--context-max", String(told ? window : believedWindow)],
        "run",
        task,
      ],
      env: { HOME: home, CI: "1" },
    };
  },
};

/** Agents that are installed as a command and run one task without a person in front of them. */
export const commandClients: readonly Agent[] = [qwenCode, pi, nanocoder];
