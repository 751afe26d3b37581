// OpenAI Responses items: reasoning, function calls and their outputs are separate items that fold as one.
// Run: node examples/openai-responses.ts
import { foldSync, plan as planOnly } from "@midfold/core";
import type OpenAI from "openai";

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
      output: "import { parseRow } from './parse.ts';\n".repeat(30),
    },
  );
}
const options = { model: "gpt-5", window: 16_000, maxOutputTokens: 1_000, format: "openai-responses" } as const;

// A dry run shows what would happen, and changes nothing.
const plan = planOnly(input, options);
console.log(`would free ${plan.tokens.before - plan.tokens.after} tokens in ${plan.spans.length} span`);

const result = foldSync(input, options);
console.log(
  `${input.length} → ${result.messages.length} items, ${result.tokens.after} of ${result.tokens.budget} tokens`,
);
