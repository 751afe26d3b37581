import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../digest/arbitrary-messages.test-data.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { clipText } from "./clip-text.ts";
import { endAtEdge, startAtEdge } from "./cut-at-edge.ts";

const counter = getCounter("gpt-4o");
const word = fc.stringMatching(/^[a-z]{1,9}$/);
const value = fc.oneof(
  word,
  fc.integer({ min: 100_000, max: 999_999_999 }).map(String),
  fc.integer({ min: 1000, max: 99_999 }).map((n) => `https://example.org/10.1186/s${n}?page=${n}`),
  word.map((name) => `/srv/${name}/${name}-notes.md`),
);
const piecesOf = (text: string) => text.split(/\s+/).filter((piece) => piece !== "");

describe("where a text is cut", () => {
  test("no word, number, path or URL is cut in two", () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 200, maxLength: 300 }),
        fc.integer({ min: 20, max: 400 }),
        (words, max) => {
          const whole = new Set(words);
          const clipped = clipText(words.join(" "), max, counter);
          expect(counter.count(clipped)).toBeLessThanOrEqual(max);
          const kept = piecesOf(
            clipped.replace(
              /\[Output truncated\.\.\.\] \([\d,]+ characters left out\)|\[Output truncated\.\.\.\]|…/,
              " ",
            ),
          );
          expect(kept.filter((piece) => !whole.has(piece))).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  test("a text without line ends is cut between sentences", () => {
    const sentences = Array.from({ length: 200 }, (_, at) => `Point ${at} was made by Mia about the harbour walls.`);
    const [head, , tail] = clipText(sentences.join(" "), 400, counter).split("\n");
    expect(head).toMatch(/walls\.$/);
    expect(tail).toMatch(/^Point \d+ was/);
    // What is no end of a sentence does not count as one.
    expect(endAtEdge("The price is 12.50 EUR in all shops", 17)).toBe(12);
  });

  test("Chinese, Japanese and Thai are cut between characters, numbers in them stay whole", () => {
    const chinese = Array.from({ length: 400 }, (_, at) => `第${100_000 + at}号房间在三楼`).join("，");
    for (let max = 40; max < 200; max += 7) {
      const clipped = clipText(chinese, max, counter);
      expect(counter.count(clipped)).toBeLessThanOrEqual(max);
      expect(counter.count(clipped)).toBeGreaterThan(max * 0.75);
      const [head, tail] = [clipped.split("\n")[0]!, clipped.split("\n").at(-1)!];
      for (const number of [...(head.match(/\d+/g) ?? []), ...(tail.match(/\d+/g) ?? [])])
        expect(number).toHaveLength(6);
    }
    // A vowel that is written before its consonant stays with it.
    const thai = "ไปเที่ยวเชียงใหม่".repeat(20);
    for (let at = 40; at < 60; at++) {
      expect(thai[endAtEdge(thai, at)]).not.toMatch(/\p{M}/u);
      expect(thai[endAtEdge(thai, at) - 1]).not.toMatch(/[\u0e40-\u0e44]/);
    }
    const japanese = "会議は三階で行います。資料は前日までに送ってください。".repeat(60);
    const [first, , last] = clipText(japanese, 200, counter).split("\n");
    expect(first).toMatch(/。$/);
    expect(last).toMatch(/^(?:会議|資料)/);
  });

  test("data without spaces is cut behind a value, and one endless word in it somewhere", () => {
    const data = Array.from({ length: 500 }, (_, at) => `{id:${at},name:"n${at}"}`).join(",");
    expect(data.slice(0, endAtEdge(data, 1000))).toMatch(/[}",]$/);
    expect(data.slice(startAtEdge(data, data.length - 1000))).toMatch(/^(?:\{|name|"|,|\d+,name)/);
    expect(endAtEdge("a".repeat(10_000), 1000)).toBe(1000);
    expect(startAtEdge("a".repeat(10_000), 9000)).toBe(9000);
  });

  test("stays inside the text, and cuts no character in two", () => {
    fc.assert(
      fc.property(anyText, fc.nat(400), (text, at) => {
        const end = endAtEdge(text, at);
        const start = startAtEdge(text, at);
        expect(end).toBeLessThanOrEqual(Math.max(0, Math.min(at, text.length)));
        expect(start).toBeGreaterThanOrEqual(Math.min(at, text.length) - 1);
        expect(start).toBeLessThanOrEqual(text.length);
        if (!text.isWellFormed()) return;
        expect(text.slice(0, end).isWellFormed()).toBe(true);
        expect(text.slice(start).isWellFormed()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
