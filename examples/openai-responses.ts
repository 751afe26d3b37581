// OpenAI Responses items: reasoning, function calls and their outputs are separate items that fold as one.
// Run: node examples/openai-responses.ts
import { foldSync, plan } from "@midfold/core";
import OpenAI from "openai";

const input: OpenAI.Responses.ResponseInputItem[] = [
  { type: "message", role: "user", content: [{ type: "input_text", text: "Rename parseRow to readRow everywhere." }] },
];
for (let step = 0; step < 80; step++) {
  input.push(
    {
      type: "function_call",
      call_id: `call_${step}`,
      name: "read_file",
      arguments: JSON.stringify({ path: `src/${step}.ts` }),
    },
    {
      type: "function_call_output",
      call_id: `call_${step}`,
      output: `import { parseRow } from './parse.ts';\nexport const read${step} = parseRow(line);\n`.repeat(20),
    },
  );
}
const options = { model: "gpt-5", window: 16_000, maxOutputTokens: 1_000, format: "openai-responses" } as const;

// A dry run shows what would happen, and changes nothing.
const planned = plan(input, options);
console.log(`would free ${planned.tokens.before - planned.tokens.after} tokens in ${planned.spans.length} span`);

const result = foldSync(input, options);
console.log(
  `${input.length} → ${result.messages.length} items, ${result.tokens.after} of ${result.tokens.budget} tokens`,
);

// The result goes to the SDK as it is.
const { BASE_URL = "http://127.0.0.1:4141/v1" } = process.env;
const client = new OpenAI({ baseURL: BASE_URL, apiKey: "none" });
const answer = await client.responses.create({ model: "gpt-5", input: result.messages });
console.log(`answered: ${answer.output_text}`);
