// An OpenAI chat history that has outgrown its window, folded in one call. Run: node examples/openai-chat.ts
import { fold } from "@midfold/core";
import OpenAI from "openai";

const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: "system", content: "You are a careful travel agent." },
  ...Array.from({ length: 200 }, (_, turn): OpenAI.ChatCompletionMessageParam[] => [
    { role: "user", content: `Question ${turn}: what does flight LH${400 + turn} cost? Never book without asking me.` },
    {
      role: "assistant",
      content: `Flight LH${400 + turn} costs ${200 + turn} EUR. ${"It leaves in the morning. ".repeat(20)}`,
    },
  ]).flat(),
  { role: "user", content: "Which one was the cheapest?" },
];

const result = await fold(messages, { model: "gpt-4o", window: 16_000, maxOutputTokens: 1_000 });

console.log(`${messages.length} messages, ${result.tokens.before} tokens`);
console.log(`→ ${result.messages.length} messages, ${result.tokens.after} of ${result.tokens.budget} tokens`);
for (const { rung, rule, freed } of result.plan.reasons) console.log(`  ${rung}: ${rule} (${freed} tokens)`);

// Next turn: pass the state back, and what was sent stays byte for byte as it was.
messages.push({ role: "assistant", content: "LH400." }, { role: "user", content: "Book it." });
const next = await fold(messages, {
  model: "gpt-4o",
  window: 16_000,
  maxOutputTokens: 1_000,
  ...(result.state && { state: result.state }),
});
console.log(`next turn: ${next.outcome}`);

// The result goes to the SDK as it is.
const { BASE_URL = "http://127.0.0.1:4141/v1" } = process.env;
const client = new OpenAI({ baseURL: BASE_URL, apiKey: "none" });
const answer = await client.chat.completions.create({ model: "gpt-4o", messages: next.messages });
console.log(`answered: ${answer.choices[0]?.message.content}`);
