import { join } from "node:path";
import { type Agent, task } from "./agent.ts";

/** Below this window the tool definitions alone would fill it, so only the shell is offered. */
const smallWindow = 20_000;

export const claudeCode: Agent = {
  name: "claude",
  packageName: "@anthropic-ai/claude-code",
  protocols: ["anthropic-messages"],
  shellCall: (tools, command) =>
    tools.includes("Bash") ? { name: "Bash", input: { command, description: "Read the next note" } } : undefined,
  launch: ({ installed, home, url, window, told }) => ({
    command: join(
      installed,
      "node_modules",
      "@anthropic-ai",
      `claude-code-${process.platform}-${process.arch}`,
      "claude",
    ),
    args: [
      ...["-p", task, "--output-format", "json", "--allowedTools", "Bash"],
      ...(window < smallWindow ? ["--tools", "Bash"] : []),
    ],
    env: {
      HOME: home,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-loopback",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      ...(told
        ? { CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(window), CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(window) }
        : {}),
    },
  }),
};
