import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyMessage } from "../digest/arbitrary-messages.test-data.ts";
import type { Message } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { clipMessage } from "./clip-message.ts";
import { waterLevel } from "./clip-parts.ts";

const counter = getCounter("gpt-4o");

const exchange: Message = {
  role: "tool",
  source: { role: "user" },
  parts: [
    { type: "tool-result", callId: "a", content: [{ type: "text", text: "data ".repeat(2000) }], source: { id: "a" } },
    {
      type: "tool-result",
      callId: "b",
      isError: true,
      content: [{ type: "text", text: "boom ".repeat(100) }],
      source: { id: "b" },
    },
    { type: "tool-result", callId: "c", content: [{ type: "text", text: "small" }], source: { id: "c" } },
    { type: "text", text: "and what do you see?", source: { id: "d" } },
  ],
};

describe("clipMessage", () => {
  test("keeps what binds in a long message of the user, also between pasted lines; of others nothing binds", () => {
    const rule = "From now on you must run the linter before every commit.";
    const log = (from: number) =>
      Array.from({ length: 200 }, (_, i) => `2026-04-15T10:58 row ${from + i} done`).join("\n");
    const text = `Look at this log.\n${log(0)}\n${rule}\n${log(200)}\nWhat happened?`;
    const said = (role: "user" | "assistant") => clipMessage({ role, parts: [{ type: "text", text }] }, 300, counter);
    expect(counter.countMessage(said("user"))).toBeLessThanOrEqual(300);
    expect(said("user").parts[0]).toMatchObject({ text: expect.stringContaining(rule) });
    expect(JSON.stringify(said("assistant"))).not.toContain(rule);
  });

  test("never leaves a blank text, which providers refuse", () => {
    const indented: Message = { role: "assistant", parts: [{ type: "text", text: `${" ".repeat(40)}at read()` }] };
    const { parts } = clipMessage(indented, 5, counter);
    expect(parts).toEqual([{ type: "text", text: "…" }]);
  });

  test("shrinks the largest result, leaves the rest and their sources alone", () => {
    const clipped = clipMessage(exchange, 600, counter);
    expect(counter.countMessage(clipped)).toBeLessThanOrEqual(600);
    expect(clipped.source).toBe(exchange.source);
    expect(clipped.parts[0]).not.toHaveProperty("source");
    expect(clipped.parts.slice(1)).toEqual(exchange.parts.slice(1));
    expect(clipped.parts[1]).toBe(exchange.parts[1]);
  });

  test("clips failed results only when the others are small already", () => {
    const clipped = clipMessage(exchange, 110, counter);
    expect(counter.countMessage(clipped)).toBeLessThanOrEqual(110);
    expect(JSON.stringify(clipped.parts[0]).length).toBeLessThan(600);
    expect(clipped.parts[1]).not.toBe(exchange.parts[1]);
  });

  test("replaces images in results by what they were, and keeps tool input JSON", () => {
    const image: Message = {
      role: "tool",
      parts: [
        {
          type: "tool-result",
          callId: "a",
          content: [{ type: "image", mediaType: "image/png", width: 2000, height: 1500, data: "A".repeat(100) }],
        },
      ],
    };
    expect(JSON.stringify(clipMessage(image, 60, counter))).toContain("[image left out: image/png, 2000×1500]");
    const write: Message = {
      role: "assistant",
      parts: [
        {
          type: "tool-call",
          id: "a",
          name: "write",
          input: JSON.stringify({ path: "/a.ts", text: "x = 1;\n".repeat(900) }),
        },
      ],
    };
    const [part] = clipMessage(write, 200, counter).parts;
    expect(JSON.parse((part as { input: string }).input).path).toBe("/a.ts");
  });

  test("never throws, never grows, and returns the same object when it fits", () => {
    fc.assert(
      fc.property(anyMessage, fc.integer({ min: 0, max: 300 }), (message, max) => {
        const clipped = clipMessage(message, max, counter);
        const before = counter.countMessage(message);
        if (before <= max) expect(clipped).toBe(message);
        else expect(counter.countMessage(clipped)).toBeLessThanOrEqual(before);
        expect(clipped.parts).toHaveLength(message.parts.length);
      }),
    );
  });

  test("waterLevel frees just enough", () => {
    expect(waterLevel([100, 50, 10], 40)).toBe(60);
    expect(waterLevel([100, 50, 10], 70)).toBe(40);
    expect(waterLevel([], 10)).toBe(0);
  });
});
