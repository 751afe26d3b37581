import { get_encoding } from "tiktoken";
import { describe, expect, it } from "vitest";
import { encodingNames } from "./encoding.ts";
import { getEncoding } from "./get-encoding.ts";

/** What other tokenizers take seconds to minutes over: one piece of a megabyte, or as good as one. */
const runs: Readonly<Record<string, (length: number) => string>> = {
  letters: (length) => "a".repeat(length),
  spaces: (length) => " ".repeat(length),
  newlines: (length) => "\n".repeat(length),
  underscores: (length) => "_".repeat(length),
  emoji: (length) => "😀".repeat(length / 2),
  acgt: (length) => pick("acgt", length),
  chinese: (length) =>
    pick(
      "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家十用发天如然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又定见只主没公从",
      length,
    ),
  base64: (length) => pick("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", length),
  nul: (length) => "\0".repeat(length),
  "lone surrogates": (length) => "\ud800".repeat(length),
};

describe.each(encodingNames)("%s", (name) => {
  const ours = getEncoding(name);
  const theirs = get_encoding(name);

  it.each(Object.entries(runs))("counts a run of %s as tiktoken does, and a very long one", (_, make) => {
    const small = make(1200);
    expect(ours.encode(small)).toEqual(Array.from(theirs.encode_ordinary(small.toWellFormed())));
    const large = make(name === "o200k_base" ? 1_000_000 : 250_000);
    const ids = ours.encode(large);
    expect(ours.count(large)).toBe(ids.length);
    expect(bytesOf(ids)).toBe(new TextEncoder().encode(large).length);
  });

  const bytesOf = (ids: readonly number[]) => ids.reduce((sum, id) => sum + ours.vocabulary.lengths[id]!, 0);
});

/** Repeatable noise. */
function pick(alphabet: string, length: number): string {
  let state = 12345;
  let text = "";
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += alphabet[(state >>> 16) % alphabet.length];
  }
  return text;
}
