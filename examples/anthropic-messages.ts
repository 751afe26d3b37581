// Anthropic messages with a tool loop: calls and results stay together, and turns alternate.
// Run: node examples/anthropic-messages.ts
import Anthropic from "@anthropic-ai/sdk";
import { foldSync } from "@midfold/core";

const messages: Anthropic.MessageParam[] = [
  { role: "user", content: "Find out why the build fails. Don't touch src/legacy." },
];
for (let step = 0; step < 60; step++) {
  messages.push(
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: `toolu_${step}`, name: "bash", input: { command: `npm test -- --shard ${step}` } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: `toolu_${step}`,
          content: `${"PASS src/parse.test.ts\n".repeat(60)}FAIL src/tax.test.ts: expected 19, received ${step}`,
        },
      ],
    },
  );
}

const result = foldSync(messages, {
  model: "claude-sonnet-4-5",
  window: 20_000,
  maxOutputTokens: 2_000,
  system: "You are a build engineer.",
});

console.log(`${result.tokens.before} → ${result.tokens.after} tokens, rungs: ${result.plan.rungs.join(", ")}`);
const calls = result.messages.flatMap((message) => (Array.isArray(message.content) ? message.content : []));
const open = new Set(calls.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])));
for (const block of calls) if (block.type === "tool_result") open.delete(block.tool_use_id);
console.log(`calls without a result: ${open.size}`);

// The result goes to the SDK as it is.
const { BASE_URL = "http://127.0.0.1:4141" } = process.env;
const client = new Anthropic({ baseURL: BASE_URL, apiKey: "none" });
const bash = { name: "bash", input_schema: { type: "object" as const, properties: { command: { type: "string" } } } };
const answer = await client.messages.create({
  model: "claude-sonnet-4-5",
  max_tokens: 2_000,
  messages: result.messages,
  tools: [bash],
});
console.log(`answered: ${answer.content.map((block) => (block.type === "text" ? block.text : block.type)).join(" ")}`);
