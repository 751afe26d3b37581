import { realTexts } from "../../src/tokens/encoding/real-texts.test-data.ts";
import type { Count } from "./tokenizers.ts";

/** Lets the engine compile a tokenizer on text of every kind, none of it in the corpora and none of it long. */
export function warmUp(count: Count): void {
  const texts = Object.values(realTexts);
  for (let round = 0; round < 60; round++) {
    // A number in front makes each text a new one to caches by text, and some of its pieces new to caches by piece.
    for (const text of texts) count(`${round} ${text.slice(round % 7)} ${round * 31}`);
  }
}
