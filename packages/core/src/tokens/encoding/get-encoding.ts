import cl100k from "gpt-tokenizer/bpeRanks/cl100k_base";
import o200k from "gpt-tokenizer/bpeRanks/o200k_base";
import p50k from "gpt-tokenizer/bpeRanks/p50k_base";
import r50k from "gpt-tokenizer/bpeRanks/r50k_base";
import { GptEncoding } from "gpt-tokenizer/GptEncoding";
import type { Encoding, EncodingName } from "./encoding.ts";
import { fitEnd, fitStart } from "./fit-text.ts";

const ranks = { o200k_base: o200k, cl100k_base: cl100k, p50k_base: p50k, r50k_base: r50k };
const loaded = new Map<EncodingName, Encoding>();

/** The encoding of that name; its table is built at the first call and kept. */
export function getEncoding(name: EncodingName): Encoding {
  let encoding = loaded.get(name);
  if (encoding === undefined) {
    encoding = build(name);
    loaded.set(name, encoding);
  }
  return encoding;
}

function build(name: EncodingName): Encoding {
  const inner = GptEncoding.getEncodingApi(name, () => ranks[name]);
  const asText = { disallowedSpecial: new Set<string>() };
  const count = (text: string) => inner.countTokens(text.toWellFormed(), asText);
  return {
    name,
    count,
    encode: (text) => inner.encode(text.toWellFormed(), asText),
    take: (text, maxTokens) => fitStart(text, maxTokens, count, 128),
    takeLast: (text, maxTokens) => fitEnd(text, maxTokens, count, 128),
  };
}
