// OpenAI's client: one line, and long conversations fit. Run: BASE_URL=http://127.0.0.1:4141/v1 node examples/openai-client.ts
import { withMidfold } from "@midfold/adapters/openai";
import OpenAI from "openai";

const { BASE_URL = "http://127.0.0.1:4141/v1", MODEL = "gpt-4o" } = process.env;
const client = withMidfold(new OpenAI({ baseURL: BASE_URL, apiKey: "none" }), { window: 8_000 });

const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [];
for (let turn = 0; turn < 200; turn++) {
  messages.push(
    { role: "user", content: `What does flight LH${400 + turn} cost?` },
    {
      role: "assistant",
      content: `LH${400 + turn} costs ${turn * 3} euros. ${"Seats are free in all rows. ".repeat(12)}`,
    },
  );
}
messages.push({ role: "user", content: "Which flight did I ask about first?" });

const { choices } = await client.chat.completions.create({ model: MODEL, messages, max_completion_tokens: 500 });
console.log(`answered: ${choices[0]?.message.content}`);
