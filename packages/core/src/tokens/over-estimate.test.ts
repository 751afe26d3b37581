import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodingNames } from "./encoding/encoding.ts";
import { getEncoding } from "./encoding/get-encoding.ts";
import { findFamily } from "./families/find-family.ts";
import { getCounter } from "./get-counter.ts";
import { overEstimate } from "./over-estimate.ts";

it("is never below what a family's own counter says, however long the text", () => {
  for (const model of ["claude-sonnet-4-5", "gemini-2.5-pro", "qwen3"]) {
    const { text: rule } = findFamily(model)!;
    for (const text of ["Hello, 2026! ".repeat(400_000), "数千里 Привет 12 ".repeat(1000)]) {
      expect(overEstimate(text, rule)).toBeGreaterThanOrEqual(getCounter(model).count(text));
    }
  }
});

const repeat = (part: string) => part.repeat(5000);

describe.each(encodingNames)("%s", (name) => {
  const count = (text: string) => getEncoding(name).count(text);

  it.each(["a", " ", "\n", "_", "0", "😀", "\0", "\ud800", "acgt", "的", "é", "ሰ", "\r\n", "}{", "x1", "Ωж", "~^"])(
    "is never below the count of a run of %j",
    (part) => expect(overEstimate(repeat(part))).toBeGreaterThanOrEqual(count(repeat(part))),
  );

  it("is never below the count of any text", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.base64String(), fc.lorem({ maxCount: 50 }));
    fc.assert(
      fc.property(text, (value) => {
        expect(overEstimate(value)).toBeGreaterThanOrEqual(count(value));
      }),
      { numRuns: 2000 },
    );
  });
});
