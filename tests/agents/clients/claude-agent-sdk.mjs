import { query } from "@anthropic-ai/claude-agent-sdk";
import { key, model, steps, task, url } from "./run-shell.mjs";

const answers = query({
  prompt: task,
  options: {
    model,
    tools: ["Bash"],
    allowedTools: ["Bash"],
    maxTurns: steps,
    settingSources: [],
    env: {
      ...process.env,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
    },
  },
});
for await (const message of answers) {
  if (message.type === "result") {
    process.stdout.write(`${message.subtype} ${message.result ?? ""}\n`);
    if (message.is_error) process.exitCode = 1;
  }
}
