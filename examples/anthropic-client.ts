// Anthropic's client: one line. Run: BASE_URL=http://127.0.0.1:4141 node examples/anthropic-client.ts
import Anthropic from "@anthropic-ai/sdk";
import { withMidfold } from "@midfold/adapters/anthropic";

const { BASE_URL = "http://127.0.0.1:4141", MODEL = "claude-sonnet-4-5" } = process.env;
const client = withMidfold(new Anthropic({ baseURL: BASE_URL, apiKey: "none" }), { window: 8_000 });

const messages: Anthropic.MessageParam[] = [
  { role: "user", content: "Find out why the build fails. Don't touch src/legacy." },
];
for (let step = 0; step < 60; step++) {
  const id = `toolu_${step}`;
  const output = `${"PASS src/parse.test.ts\n".repeat(60)}FAIL src/tax.test.ts: expected 19, received ${step}`;
  messages.push(
    {
      role: "assistant",
      content: [{ type: "tool_use", id, name: "bash", input: { command: `npm test -- --shard ${step}` } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
  );
}
const bash = { name: "bash", input_schema: { type: "object" as const, properties: { command: { type: "string" } } } };
const answer = await client.messages.create({ model: MODEL, max_tokens: 500, messages, tools: [bash] });
console.log(`answered: ${answer.content.map((block) => (block.type === "text" ? block.text : block.type)).join(" ")}`);
