import { describe, expect, test } from "vitest";
import { assistant, call, result, user } from "../digest/arbitrary-messages.test-data.ts";
import { frameMessage } from "../digest/frame.ts";
import type { Message } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { serializeHistory } from "./serialize-history.ts";

const counter = getCounter("len/4");
const all = (messages: readonly Message[], maxTokens = 1_000_000) => serializeHistory(messages, { counter, maxTokens });

describe("a transcript for a summarizer", () => {
  test("says who said what, which tool was called with what, and how it ended", () => {
    const messages: Message[] = [
      { role: "system", parts: [{ type: "text", text: "Be brief." }] },
      user("Where is the log?"),
      call("1", "find", { name: "app.log" }),
      result("1", "/var/log/app.log"),
      {
        role: "tool",
        parts: [{ type: "tool-result", callId: "9", isError: true, content: [{ type: "text", text: "gone" }] }],
      },
      assistant("It is in /var/log."),
    ];
    expect(all(messages).text.split("\n")).toEqual([
      "[0] system: Be brief.",
      "[1] user: Where is the log?",
      '[2] assistant called find: {"name":"app.log"}',
      "[3] find returned: /var/log/app.log",
      "[4] tool failed: gone",
      "[5] assistant: It is in /var/log.",
    ]);
    expect(all(messages).leftOut).toBe(0);
    expect(all(messages).tokens).toBe(counter.count(all(messages).text));
  });

  test("names images and files that have no text, and quotes those that have", () => {
    const attached = (part: Message["parts"][number]): Message => ({ role: "user", parts: [part] });
    const lines = all([
      attached({ type: "image", mediaType: "image/png" }),
      attached({ type: "image" }),
      attached({ type: "file", name: "plan.pdf", mediaType: "application/pdf" }),
      attached({ type: "file", mediaType: "application/pdf" }),
      attached({ type: "file" }),
      attached({ type: "file", name: "notes.txt", text: "Buy milk." }),
    ]).text.split("\n");
    expect(lines.slice(0, 5)).toEqual([
      "[0] user attached an image (image/png)",
      "[1] user attached an image (image)",
      "[2] user attached a file (plan.pdf)",
      "[3] user attached a file (application/pdf)",
      "[4] user attached a file (unnamed)",
    ]);
    expect(lines.slice(5).join("\n")).toContain("Buy milk.");
    expect(lines.slice(5).join("\n")).not.toContain("attached");
  });

  test("leaves out frames of earlier folds, without an empty line in their place", () => {
    const earlier = frameMessage({ kind: "digest", text: "- user: hello", covers: 3 });
    expect(all([user("One."), earlier, user("Two.")]).text).toBe("[0] user: One.\n[2] user: Two.");
  });

  test("cuts tool traffic first, then long messages, and says where", () => {
    const messages = [
      user(`Read it. ${"I need all of this. ".repeat(100)}`),
      call("1", "read", { note: "n".repeat(4_000) }),
      result("1", "r".repeat(4_000)),
      assistant("Done."),
    ];
    const whole = all(messages);
    expect(whole.text).toContain("[cut]");
    expect(whole.text).toContain("I need all of this. ".repeat(100).trim());
    const asked = serializeHistory(messages, { counter, maxTokens: 1_000_000, resultTokens: 40 });
    expect(asked.tokens).toBeLessThan(700);
    expect(asked.text).toContain("I need all of this. ".repeat(100).trim());
    // Exactly as large as it may be is not too large.
    expect(all(messages, whole.tokens)).toEqual(whole);
    const less = all(messages, whole.tokens - 1);
    expect(less.tokens).toBeLessThan(whole.tokens - 1);
    expect(less.text).toContain("I need all of this. ".repeat(100).trim());
    expect(less.leftOut).toBe(0);
    const least = all(messages, 400);
    expect(least.tokens).toBeLessThanOrEqual(400);
    expect(least.leftOut).toBe(0);
    expect(least.text.match(/\[cut\]/g)).toHaveLength(3);
    expect(least.text).toContain("[3] assistant: Done.");
  });

  describe("too long to be cut", () => {
    const line = (index: number) => user(`line ${String(index).padStart(3, "0")} ${"x".repeat(28)}`);
    const talk = Array.from({ length: 100 }, (_, index) => line(index));
    const numbers = (text: string) => [...text.matchAll(/line (\d+)/g)].map((found) => Number(found[1]));

    test("loses its middle: about a third stays of the start, the rest of the end, and the gap is named", () => {
      const { text, tokens, leftOut } = all(talk, 400);
      const kept = numbers(text);
      const head = kept.findIndex((number, at) => number !== at);
      const tail = kept.length - head;
      expect(tokens).toBeLessThanOrEqual(400);
      expect(tokens).toBeGreaterThan(400 - 3 * 14);
      expect(kept.slice(head)).toEqual(Array.from({ length: tail }, (_, at) => 100 - tail + at));
      expect(head / kept.length).toBeGreaterThan(0.28);
      expect(head / kept.length).toBeLessThan(0.4);
      expect(leftOut).toBe(100 - kept.length);
      expect(text.split("\n")[head]).toBe(`[… ${leftOut} messages left out here …]`);
      expect(text.split("\n")).toHaveLength(kept.length + 1);
    });

    test("a message that is too large for the start stays out, and the end is filled all the same", () => {
      const big = [user("b".repeat(480)), ...talk];
      const { text } = all(big, 200);
      expect(text.startsWith("[… ")).toBe(true);
      expect(numbers(text).at(-1)).toBe(99);
      expect(numbers(text).length).toBeGreaterThan(8);
    });

    test("frames among what is left out or kept leave no empty lines", () => {
      const earlier = frameMessage({ kind: "digest", text: "- user: hello", covers: 3 });
      const { text } = all([earlier, ...talk, earlier], 300);
      expect(text.split("\n").every((row) => row !== "")).toBe(true);
      expect(numbers(text)[0]).toBe(0);
      expect(numbers(text).at(-1)).toBe(99);
    });

    test.each([0, 3, 7])("is nothing where %i tokens hold not even the note", (maxTokens) => {
      expect(all(talk, maxTokens)).toEqual({ text: "", tokens: 0, leftOut: 100 });
    });
  });
});
