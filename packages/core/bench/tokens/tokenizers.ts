import type { BytePairEncoding } from "../../src/tokens/encoding/byte-pair-encoding.ts";
import { installPeers } from "../install-peers.ts";

export type Count = (text: string) => number;

/** Every tokenizer with o200k_base, set to take special-token text as text; each is loaded when asked for. */
export const tokenizers: Readonly<Record<string, () => Promise<Count>>> = {
  midfold: async () => {
    const { getEncoding } = await import("../../src/tokens/encoding/get-encoding.ts");
    const encoding = getEncoding("o200k_base");
    return (text) => encoding.count(text);
  },
  tiktoken: async () => {
    const { get_encoding } = await load("tiktoken");
    const encoding = get_encoding("o200k_base");
    return (text) => encoding.encode_ordinary(text).length;
  },
  "js-tiktoken": async () => {
    const { Tiktoken } = await load("js-tiktoken/lite");
    const ranks = await load("js-tiktoken/ranks/o200k_base");
    const encoding = new Tiktoken(ranks.default.default ?? ranks.default);
    return (text) => encoding.encode(text, [], []).length;
  },
  "gpt-tokenizer": async () => {
    const { countTokens } = await load("gpt-tokenizer/encoding/o200k_base");
    const asText = { disallowedSpecial: new Set() };
    return (text) => countTokens(text, asText);
  },
  "ai-tokenizer": async () => {
    const { Tokenizer } = await load("ai-tokenizer");
    const tokenizer = new Tokenizer(await load("ai-tokenizer/encoding/o200k_base"));
    // Its faster method throws on special-token text; where that happens, its slower one is measured.
    return (text) => {
      try {
        return tokenizer.count(text);
      } catch {
        return tokenizer.encode(text, [], []).length;
      }
    };
  },
};

/** o200k_base from the package as it is published; `packCore` must have written it. */
export async function publishedEncoding(): Promise<BytePairEncoding> {
  const path = "../../dist/package/src/tokens/encoding/get-encoding.js";
  return (await import(path)).getEncoding("o200k_base");
}

// biome-ignore lint/suspicious/noExplicitAny: peers are loaded by name, without their types
async function load(name: string): Promise<any> {
  return (await installPeers("peers")).load(name);
}
