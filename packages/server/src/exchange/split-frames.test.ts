import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFrameSplitter } from "./split-frames.ts";

const pushAll = (chunks: readonly Uint8Array[]) => {
  const splitter = createFrameSplitter();
  const out = chunks.flatMap((chunk) => splitter.push(chunk) ?? []);
  return { out, rest: Buffer.from(splitter.end()).toString() };
};

/** Cuts bytes at the given places. */
const cut = (bytes: Buffer, places: readonly number[]) => {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...ends].map((start, index, all) => bytes.subarray(start, all[index + 1] ?? bytes.length));
};

describe("createFrameSplitter", () => {
  it.each(["\n", "\r\n", "\r"])(
    "passes on whole frames only, however the bytes are cut (lines end in %j)",
    (newline) => {
      const text = [`event: a${newline}data: {"x":"😀"}`, `: ping`, `data: 2${newline}data: 3`].map(
        (frame) => `${frame}${newline}${newline}`,
      );
      const bytes = Buffer.from(`${text.join("")}data: half`);
      fc.assert(
        fc.property(fc.array(fc.nat(), { maxLength: 30 }), (places) => {
          const { out, rest } = pushAll(cut(bytes, places).filter((chunk) => chunk.length > 0));
          let seen = "";
          for (const piece of out) {
            seen += Buffer.from(piece).toString("latin1");
            expect(seen.endsWith(newline + newline)).toBe(true);
          }
          expect(Buffer.from(seen, "latin1").toString() + rest).toBe(bytes.toString());
          expect(rest).toBe("data: half");
        }),
      );
    },
  );

  it("holds nothing back that is complete", () => {
    const splitter = createFrameSplitter();
    expect(Buffer.from(splitter.push(Buffer.from("data: 1\n\n")) ?? []).toString()).toBe("data: 1\n\n");
    expect(splitter.push(Buffer.from("data: 2\n"))).toBeUndefined();
    expect(Buffer.from(splitter.push(Buffer.from("\ndata: 3")) ?? []).toString()).toBe("data: 2\n\n");
  });
});
