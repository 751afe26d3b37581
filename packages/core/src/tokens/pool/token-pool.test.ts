import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Message } from "../../message/message.ts";
import { encodingNames } from "../encoding/encoding.ts";
import { getEncoding } from "../encoding/get-encoding.ts";
import { findFamily } from "../families/find-family.ts";
import { FamilyCounter } from "../family-counter.ts";
import { TiktokenCounter } from "../tiktoken-counter.ts";
import { prepareCounts } from "./prepare-counts.ts";
import { tokenTables, useTokenTables } from "./share-tables.ts";
import { SlicedCounts } from "./sliced-counts.ts";
import { TokenPool } from "./token-pool.node.ts";

const long = "Nobody had told the gateway that 4,096 such lines would come; it counted them all. 数えました。\n".repeat(
  3000,
);
const pool = new TokenPool({ deadlineMs: 60_000 });
afterAll(() => pool.close());

describe("TokenPool", () => {
  it.each(encodingNames)("counts a long text on another thread as this thread does: %s", async (encoding) => {
    const result = await pool.count(long, { encoding });
    expect(result).toEqual({ tokens: getEncoding(encoding).count(long), estimated: false });
  });

  it("lets this thread go on meanwhile", async () => {
    const here = vi.spyOn(getEncoding("o200k_base"), "count");
    let turns = 0;
    let done = false;
    const counting = pool.count(long.repeat(4), { encoding: "o200k_base" }).then(() => {
      done = true;
    });
    while (!done) {
      turns++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await counting;
    expect(turns).toBeGreaterThan(1);
    // Turns alone show little: there are some before anything is counted.
    expect(here).not.toHaveBeenCalled();
    here.mockRestore();
  });

  it("scales for a family as the family's counter does", async () => {
    const family = findFamily("gemini-2.5-pro")!;
    const counter = new FamilyCounter(family);
    expect(await pool.count(long, counter.rule)).toEqual({ tokens: counter.count(long), estimated: false });
  });

  it("takes many texts at once", async () => {
    const texts = Array.from({ length: 8 }, (_, at) => `${at} ${long}`);
    const results = await Promise.all(texts.map((text) => pool.count(text, { encoding: "o200k_base" })));
    const expected = texts.map((text) => ({ tokens: getEncoding("o200k_base").count(text), estimated: false }));
    expect(results).toEqual(expected);
  });

  it("gives a safe over-estimate when the time is up, when too many wait, and after it was closed", async () => {
    const hurried = new TokenPool({ deadlineMs: 0, threads: 1, maxQueued: 1 });
    const exact = getEncoding("o200k_base").count(long);
    const results = await Promise.all([1, 2, 3].map(() => hurried.count(long, { encoding: "o200k_base" })));
    await hurried.close();
    results.push(await hurried.count(long, { encoding: "o200k_base" }));
    results.push(await pool.count(long, { encoding: "o200k_base" }, AbortSignal.abort()));
    for (const result of results) {
      expect(result.estimated).toBe(true);
      expect(result.tokens).toBeGreaterThanOrEqual(exact);
    }
  });

  it("ends a thread that has nothing to do, and starts another when asked", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked = vi.spyOn(Worker.prototype, "postMessage");
    const ended = vi.spyOn(Worker.prototype, "terminate");
    // Threads of other pools in this process may end meanwhile.
    const ownEnded = () => ended.mock.contexts.filter((worker) => asked.mock.contexts.includes(worker));
    const idle = new TokenPool({ idleMs: 5_000 });
    try {
      const { tokens } = await idle.count(long, { encoding: "o200k_base" });
      vi.advanceTimersByTime(4_000);
      await idle.count(long, { encoding: "o200k_base" });
      vi.advanceTimersByTime(4_000);
      expect(ownEnded()).toHaveLength(0);
      vi.advanceTimersByTime(1_000);
      expect(ownEnded()).toHaveLength(1);
      expect(await idle.count(long, { encoding: "o200k_base" })).toEqual({ tokens, estimated: false });
    } finally {
      vi.useRealTimers();
      asked.mockRestore();
      ended.mockRestore();
      await idle.close();
    }
  });

  it("lends its tables to other threads in memory they share", () => {
    const before = getEncoding("o200k_base").count(long);
    const lent = structuredClone(tokenTables());
    const parts = Object.values(lent.get("o200k_base") ?? {}).filter((part) => ArrayBuffer.isView(part));
    expect(parts.length).toBeGreaterThan(10);
    for (const { buffer } of parts) expect(buffer).toBeInstanceOf(SharedArrayBuffer);
    const own = getEncoding("o200k_base");
    useTokenTables(lent);
    expect(getEncoding("o200k_base")).not.toBe(own);
    expect(getEncoding("o200k_base").count(long)).toBe(before);
  });

  it("ends cleanly in the middle of a text", async () => {
    const closing = new TokenPool({ deadlineMs: 60_000 });
    const counting = closing.count(long.repeat(20), { encoding: "o200k_base" });
    await closing.close();
    expect((await counting).estimated).toBe(true);
  });
});

describe("SlicedCounts", () => {
  it("counts the same on this thread, with pauses", async () => {
    let pauses = 0;
    const counts = new SlicedCounts({
      pause: () => {
        pauses++;
        return Promise.resolve();
      },
    });
    const result = await counts.count(long, { encoding: "o200k_base" });
    expect(result).toEqual({ tokens: getEncoding("o200k_base").count(long), estimated: false });
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(long.length / 40_000));
  });

  it.each([
    ["one letter", "a".repeat(400_000)],
    ["letters at random", Array.from({ length: 400_000 }, (_, at) => "acgt"[((at * 2654435761) >>> 13) % 4]).join("")],
    ["unbroken Chinese among lines", `${"\n".repeat(70_000)}${"数千里之外的人们".repeat(20_000)} 😀`],
  ])("pauses inside a piece of any length, while others count: %s", async (_, text) => {
    const expected = getEncoding("o200k_base").count(text);
    const other = "meanwhile, something else ".repeat(40);
    const tokensOfOther = getEncoding("o200k_base").count(other);
    let pauses = 0;
    const counts = new SlicedCounts({
      pause: async () => {
        pauses++;
        expect(getEncoding("o200k_base").count(other)).toBe(tokensOfOther);
      },
    });
    expect(await counts.count(text, { encoding: "o200k_base" })).toEqual({ tokens: expected, estimated: false });
    expect(pauses).toBeGreaterThan(5);
  });

  it("over-estimates a run that no step could be cut from, and counts what is around it", async () => {
    const run = "a".repeat(1_200_000);
    const result = await new SlicedCounts().count(`A word, ${run}, and another.`, { encoding: "o200k_base" });
    expect(result.estimated).toBe(true);
    expect(result.tokens).toBeGreaterThanOrEqual(run.length);
    expect(result.tokens).toBeLessThan(run.length + 40_000);
  });

  it("over-estimates what is left when it is stopped", async () => {
    const stop = new AbortController();
    const counts = new SlicedCounts({ pause: () => Promise.resolve(stop.abort()) });
    const result = await counts.count(long, { encoding: "o200k_base" }, stop.signal);
    expect(result.estimated).toBe(true);
    expect(result.tokens).toBeGreaterThanOrEqual(getEncoding("o200k_base").count(long));
  });
});

describe("prepareCounts", () => {
  const conversation = (): Message[] => [
    { role: "user", parts: [{ type: "text", text: "short" }] },
    { role: "tool", parts: [{ type: "tool-result", callId: "1", content: [{ type: "text", text: long }] }] },
  ];

  it("leaves a counter nothing long to count", async () => {
    const counter = new TiktokenCounter("gpt-4o");
    expect(await prepareCounts(counter, conversation(), { counts: pool })).toEqual({ counted: 1, estimated: 0 });
    expect(counter.uncounted(conversation(), 1000)).toEqual([]);
    const before = counter.cacheStatistics().hits;
    expect(counter.countMessages(conversation())).toBe(new TiktokenCounter("gpt-4o").countMessages(conversation()));
    expect(counter.cacheStatistics().hits).toBe(before + 1);
  });

  it("uses an over-estimate once and asks again", async () => {
    const counter = new TiktokenCounter("gpt-4o");
    const messages = conversation();
    const late = { counts: pool, signal: AbortSignal.abort() };
    expect(await prepareCounts(counter, messages, late)).toEqual({ counted: 0, estimated: 1 });
    const provisional = counter.countMessages(messages);
    await prepareCounts(counter, messages, { counts: pool });
    expect(counter.countMessages(messages)).toBe(new TiktokenCounter("gpt-4o").countMessages(messages));
    expect(provisional).toBeGreaterThan(counter.countMessages(messages));
  });
});
