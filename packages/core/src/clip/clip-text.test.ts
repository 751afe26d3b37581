import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../digest/arbitrary-messages.test-data.ts";
import { ApproximateCounter } from "../tokens/approximate-counter.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { clipText } from "./clip-text.ts";
import { ToolResultCompactor } from "./tool-result-compactor.ts";

const exact = getCounter("gpt-4o");
const counters = [exact, new ApproximateCounter()];
const longText = fc.array(anyText, { maxLength: 12 }).map((texts) => texts.join("\n"));

describe("clipText", () => {
  test("is never over budget, deterministic, and leaves no half character", () => {
    fc.assert(
      fc.property(longText, fc.integer({ min: 0, max: 200 }), fc.constantFrom(...counters), (text, max, counter) => {
        const clipped = clipText(text, max, counter);
        expect(counter.count(clipped)).toBeLessThanOrEqual(Math.max(max, 0));
        expect(clipText(text, max, counter)).toBe(clipped);
        if (text.isWellFormed()) expect(clipped.isWellFormed()).toBe(true);
        if (counter.count(text) <= max) expect(clipped).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  test("keeps JSON parseable, keys included", () => {
    // Lists and objects: a lone number or string is clipped as any other text.
    const value = fc.jsonValue({ maxDepth: 4 });
    const jsonOfMany = fc.oneof(fc.array(value), fc.dictionary(fc.string(), value)).map((many) => JSON.stringify(many));
    fc.assert(
      fc.property(jsonOfMany, fc.integer({ min: 20, max: 120 }), (json, max) => {
        const parsed = JSON.parse(json);
        const clipped = clipText(json, max, exact);
        expect(() => JSON.parse(clipped)).not.toThrow();
        expect(Array.isArray(JSON.parse(clipped))).toBe(Array.isArray(parsed));
      }),
      { numRuns: 300 },
    );
    const flights = JSON.stringify({
      user: "mia",
      flights: Array.from({ length: 500 }, (_, id) => ({ id, seat: "x" })),
    });
    const short = JSON.parse(clipText(flights, 200, exact));
    expect(Object.keys(short)).toEqual(["user", "flights"]);
    expect(short.flights[0]).toEqual({ id: 0, seat: "x" });
    expect(JSON.stringify(short)).toContain("items left out");
  });

  test("does not round long numbers, nor trip over a key named __proto__", () => {
    const text = `{"id": 1234567890123456789, "__proto__": {"a": 1}, "log": "${"x ".repeat(4000)}"}`;
    const clipped = clipText(text, 120, exact);
    expect(clipped).toContain("1234567890123456789");
    expect(Object.keys(JSON.parse(clipped))).toContain("__proto__");
  });

  test("keeps head, tail and the error lines between them, each once", () => {
    const lines = Array.from({ length: 4000 }, (_, i) => `line ${i} of a very ordinary log`);
    lines[1500] = "TypeError: Cannot read properties of undefined (reading 'id')";
    for (let i = 2000; i < 2050; i++) lines[i] = `connection refused by host after ${i} ms`;
    lines[2500] = "0 errors so far";
    const clipped = clipText(lines.join("\n"), 300, exact);
    expect(clipped.startsWith("line 0 of")).toBe(true);
    expect(clipped.endsWith("line 3999 of a very ordinary log")).toBe(true);
    expect(clipped).toContain("TypeError: Cannot read properties of undefined");
    expect(clipped.match(/connection refused/g)).toHaveLength(1);
    expect(clipped).not.toContain("0 errors so far");
    expect(clipped).toMatch(/\[Output truncated\.\.\.\] \([\d,]+ characters left out\)/);
  });

  test("JSON fills the room it has", () => {
    const word = fc.stringMatching(/^[a-z]{3,9}$/);
    const leaf = fc.oneof(
      fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" ")),
      fc.integer({ min: 0, max: 99_999 }),
      fc.boolean(),
    );
    const row = fc.dictionary(word, leaf, { minKeys: 3, maxKeys: 8, noNullPrototype: true });
    const record = fc.dictionary(word, fc.oneof(leaf, row, fc.array(row, { maxLength: 12 })), {
      minKeys: 4,
      maxKeys: 12,
      noNullPrototype: true,
    });
    const listing = fc.record({ path: word, content: fc.array(word, { minLength: 300, maxLength: 600 }) });
    const given = fc.oneof(
      record,
      fc.array(row, { minLength: 5, maxLength: 60 }),
      listing.map(({ path, content }) => ({ path, content: content.join(" ") })),
    );
    fc.assert(
      fc.property(given, fc.integer({ min: 80, max: 400 }), fc.constantFrom(undefined, 2), (value, max, indent) => {
        const json = JSON.stringify(value, null, indent);
        fc.pre(exact.count(json) > max);
        const clipped = clipText(json, max, exact);
        // Without its indentation it may fit whole.
        if (JSON.stringify(JSON.parse(clipped)) !== JSON.stringify(value)) {
          expect(clipped).toContain("[Output truncated...]");
        }
        expect(exact.count(clipped)).toBeGreaterThan(max * 0.7);
      }),
      { numRuns: 300 },
    );
  });

  test("JSON with more keys than there are tokens keeps the first, and says how many values are gone", () => {
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`key${at}`, { at }])));
    const clipped = clipText(wide, 100, exact);
    const keys = Object.keys(JSON.parse(clipped));
    expect(keys.length).toBeGreaterThan(8);
    expect(keys[0]).toBe("key0");
    const kept = clipped.match(/"at"/g)!.length;
    expect(clipped).toContain(`(${5000 - kept} of 5000 values left out)`);
  });

  test("JSON that is written with spaces stays so", () => {
    const row = (at: number) => `{"id": ${at}, "tags": ["a", "b"], "note": {}}`;
    const json = `[${Array.from({ length: 60 }, (_, at) => row(at)).join(", ")}]`;
    expect(clipText(json, 200, exact).startsWith(`[${row(0)}, ${row(1)}, `)).toBe(true);
  });

  test("clips ten megabytes of one line, of newlines, and of broken JSON", () => {
    for (const text of ["a".repeat(1e7), "\n".repeat(1e7), `[${"{".repeat(1e7)}`, "error ".repeat(1.6e6)]) {
      expect(exact.count(clipText(text, 500, exact))).toBeLessThanOrEqual(500);
    }
  });
});

test("ToolResultCompactor has the documented defaults and a custom message", () => {
  const compactor = new ToolResultCompactor();
  expect([compactor.maxResultTokens, compactor.truncationMessage]).toEqual([1000, "[Output truncated...]"]);
  expect(compactor.compactResult("short", exact)).toBe("short");
  const long = "word ".repeat(5000);
  expect(compactor.compactResult(long, exact)).toContain("[Output truncated...]");
  expect(exact.count(compactor.compactResult(long, exact))).toBeLessThanOrEqual(1000);
  const custom = new ToolResultCompactor({ maxResultTokens: 60, truncationMessage: "[cut $& here]" });
  expect(custom.compactResult(long, exact)).toContain("[cut $& here]");
});
