import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Agent, task } from "./agent.ts";

export const codex: Agent = {
  name: "codex",
  packageName: "@openai/codex",
  protocols: ["openai-responses"],
  shellCall(tools, command) {
    if (tools.includes("exec_command")) return { name: "exec_command", input: { cmd: command } };
    return tools.includes("shell_command") ? { name: "shell_command", input: { command } } : undefined;
  },
  launch({ installed, home, url, window, told }) {
    const lines = [
      'model = "gpt-5.5"',
      'model_provider = "loopback"',
      'approval_policy = "never"',
      'sandbox_mode = "danger-full-access"',
      ...(told ? [`model_context_window = ${window}`] : []),
      "[model_providers.loopback]",
      'name = "loopback"',
      `base_url = "${url}/v1"`,
      'env_key = "LOOPBACK_KEY"',
      'wire_api = "responses"',
    ];
    writeFileSync(join(home, "config.toml"), `${lines.join("\n")}\n`);
    return {
      command: process.execPath,
      args: [
        join(installed, "node_modules", "@openai", "codex", "bin", "codex.js"),
        "exec",
        "--skip-git-repo-check",
        "--json",
        task,
      ],
      env: { HOME: home, CODEX_HOME: home, LOOPBACK_KEY: "sk-loopback" },
    };
  },
};
