import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mendSurrogates } from "./mend-surrogates.ts";

const mend = async (text: string) => Buffer.from(await mendSurrogates(Buffer.from(text))).toString();

describe("mendSurrogates", () => {
  it("gives what toWellFormed gives, whatever the text, and keeps every other byte", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.constantFrom("\ud83d", "\ude00", "\ud83d\ude00", "a", "\\", '"', "u", "é", "\\ud83d", "d83d", "\n"),
          { maxLength: 20 },
        ),
        async (pieces) => {
          const value = pieces.join("");
          const mended = await mend(JSON.stringify(value));
          expect(JSON.parse(mended)).toBe(value.toWellFormed());
          expect(mended.length).toBe(JSON.stringify(value).length);
        },
      ),
    );
  });

  it("mends what lies across the border of two slices", async () => {
    for (let shift = 0; shift < 14; shift++) {
      const value = `${"a".repeat(1024 * 1024 - 14 + shift)}\ud83d\ude00\ud83d\\\ude00`;
      const escaped = JSON.stringify(value.replaceAll("\ude00", "<low>"))
        .replaceAll("<low>", "\\ude00")
        .replace("😀", "\\ud83d\\ude00");
      expect(JSON.parse(await mend(escaped))).toBe(JSON.parse(escaped).toWellFormed());
    }
  });

  it("returns the same bytes when there is nothing to mend", async () => {
    const bytes = Buffer.from('{"a":"\\ud83d\\ude00 \\\\ud83d plain"}');
    expect(await mendSurrogates(bytes)).toBe(bytes);
  });
});
