import { describe, expect, it } from "vitest";
import { createValueMemo } from "./value-memo.ts";

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const whole = (bytes: Uint8Array) => ({ start: 0, end: bytes.byteLength });

describe("createValueMemo", () => {
  const say = (i: number, length: number) => ({ role: "user", content: `${i} ${"x".repeat(length)} ${i}` });

  it("gives the same object for the same bytes, short or long, wherever they stand", () => {
    const memo = createValueMemo(16_000_000);
    const values = [...Array.from({ length: 3_000 }, (_, i) => say(i, 300)), say(1, 40_000), say(2, 400_000)];
    const first = values.map((value) => memo.parse(bytesOf(value), whole(bytesOf(value))));
    expect(first).toEqual(values);
    const shifted = values.map((value) => {
      const bytes = Buffer.from(`  ${JSON.stringify(value)},`);
      return memo.parse(bytes, { start: 2, end: bytes.length - 1 });
    });
    expect(shifted.every((value, index) => value === first[index])).toBe(true);
  });

  it("tells apart what differs in one byte only", () => {
    const memo = createValueMemo(1_000_000);
    const text = "y".repeat(5_000);
    for (let at = 0; at < text.length; at += 97) {
      const value = { text: `${text.slice(0, at)}z${text.slice(at + 1)}` };
      expect(memo.parse(bytesOf(value), whole(bytesOf(value)))).toEqual(value);
    }
  });

  it("keeps what is met again, and forgets what is not, however alike the values are", () => {
    const memo = createValueMemo(200_000);
    const kept = bytesOf(say(-1, 300));
    const object = memo.parse(kept, whole(kept));
    const gone = bytesOf(say(-2, 300));
    memo.parse(gone, whole(gone));
    for (let i = 0; i < 2_000; i++) {
      // Of one length, and the same at both ends: all of these share a bucket.
      const text = `${"a".repeat(150)}${String(i).padStart(6, "0")}${"b".repeat(150)}`;
      memo.parse(bytesOf([text]), whole(bytesOf([text])));
      if (i % 20 === 0) expect(memo.find(kept, whole(kept))).toBe(object);
    }
    expect(memo.find(gone, whole(gone))).toBeUndefined();
  });
});
