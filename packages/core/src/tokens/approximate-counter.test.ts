import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApproximateCounter } from "./approximate-counter.ts";
import { getCounter } from "./get-counter.ts";

describe("ApproximateCounter", () => {
  it("a model without a tokenizer is counted as text length ÷ 4, never as less", () => {
    const counter = getCounter("nobody-knows-this");
    expect(counter).toBeInstanceOf(ApproximateCounter);
    // Common short words: neither the words nor the runs of letters weigh more than their characters.
    const plain = "evenings mornings ".repeat(50).trimEnd();
    expect(counter.count(plain)).toBe(Math.ceil(plain.length / 4));
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        expect(counter.count(text)).toBeGreaterThanOrEqual(Math.ceil(text.length / 4));
      }),
    );
  });

  it("tokens per word can be set", () => {
    expect(new ApproximateCounter({ tokensPerWord: 5 }).count("one two three")).toBe(15);
  });
});
