import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mendSurrogates } from "./mend-surrogates.ts";

const mend = (text: string) => Buffer.from(mendSurrogates(Buffer.from(text))).toString();

describe("mendSurrogates", () => {
  it("gives what toWellFormed gives, whatever the text, and keeps every other byte", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom("\ud83d", "\ude00", "\ud83d\ude00", "a", "\\", '"', "u", "é", "\\ud83d", "d83d", "\n"),
          { maxLength: 20 },
        ),
        (pieces) => {
          const value = pieces.join("");
          const mended = mend(JSON.stringify(value));
          expect(JSON.parse(mended)).toBe(value.toWellFormed());
          expect(mended.length).toBe(JSON.stringify(value).length);
        },
      ),
    );
  });

  it("returns the same bytes when there is nothing to mend", () => {
    const bytes = Buffer.from('{"a":"\\ud83d\\ude00 \\\\ud83d plain"}');
    expect(mendSurrogates(bytes)).toBe(bytes);
  });
});
