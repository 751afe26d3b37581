import { getCounter } from "@midfold/core";
import { afterEach, describe, expect, it } from "vitest";
import type { TurnEvent } from "../../api/events.ts";
import type { Chat } from "../chat.ts";
import { find, type Harness, type HarnessOptions, openHarness } from "../chat-harness.test-data.ts";
import { toMessage } from "../context/to-message.ts";
import { lastSent, seedHistory, wordsOf } from "../seed-history.test-data.ts";
import { builtInSummarizer } from "./choose-summarizer.ts";
import { foldHistory } from "./fold-history.ts";
import { type WriteOptions, writeFold } from "./write-fold.ts";

let chat: Harness;
const open = async (options: HarnessOptions = {}) => {
  chat = await openHarness({ window: 8192, ...options });
  return chat;
};
afterEach(() => chat.close());
const kinds = (events: readonly TurnEvent[]) =>
  events.map(({ type }) => type).filter((type) => type.startsWith("fold"));
const saying = (tokens: number) =>
  ({ role: "user", parts: [{ type: "text", text: wordsOf(tokens, "More:") }] }) as const;
const refuse = () => ({ fault: { kind: "status", status: 400, message: "no" } }) as const;

describe("when summaries fail", () => {
  it("sends the full history, logs the error with its context, and answers", async () => {
    await open();
    chat.setSummary(refuse);
    const session = await seedHistory(chat, [2000, 1900]);
    const events = await chat.say(session.id, "Still there?");
    expect(kinds(events)).toContain("fold.failed");
    expect(find(events, "fold.failed")).toMatchObject({ sentInstead: "full-history", breakerOpen: false });
    expect(find(events, "turn.end")?.status).toBe("complete");
    expect(lastSent(chat)).toHaveLength(3);
    const line = chat.log.find(({ message }) => message === "automatic fold failed");
    expect(line).toMatchObject({
      level: "error",
      facts: { sessionId: session.id, model: "gpt-4o", messages: 3, failures: 1, err: expect.anything() },
    });
    expect(await chat.owner.snapshots.activeSummary(session.id)).toBeUndefined();
    const foldId = find(events, "fold.failed")!.foldId;
    expect(await chat.call("getFold", { params: { sessionId: session.id, foldId } })).toMatchObject({
      status: "failed",
      error: find(events, "fold.failed")!.problem,
    });
  });

  it("tries again on a later request with exponential backoff, opens after three failures, and recovers", async () => {
    await open();
    chat.setSummary(refuse);
    const session = await seedHistory(chat, [2000, 1700]);
    const say = () => chat.say(session.id, "and");
    const wait = async () => {
      const { breaker } = await chat.call("getUsage", { params: { sessionId: session.id } });
      return Date.parse(breaker.retryAt ?? "") - chat.clock.now;
    };
    expect(kinds(await say())).toContain("fold.failed");
    const first = await wait();
    const calls = chat.summaries.calls;
    const skipped = find(await say(), "fold.skipped")!;
    expect(skipped.reason).toBe("backoff");
    const params = { sessionId: session.id, foldId: skipped.foldId };
    expect(await chat.call("getFold", { params })).toMatchObject({
      id: skipped.foldId,
      type: "auto",
      status: "skipped",
      skipReason: "backoff",
      progress: null,
      finishedAt: new Date(chat.clock.now).toISOString(),
    });
    expect(chat.summaries.calls).toBe(calls);

    chat.clock.now += first;
    expect(kinds(await say())).toContain("fold.failed");
    const second = await wait();
    expect(second).toBe(2 * first);
    chat.clock.now += second;
    expect(find(await say(), "fold.failed")?.breakerOpen).toBe(true);
    expect(find(await say(), "fold.skipped")?.reason).toBe("breaker-open");
    expect((await chat.call("getUsage", { params: { sessionId: session.id } })).breaker).toMatchObject({
      failures: 3,
      open: true,
    });

    chat.setSummary(() => ({ text: "All about gardens." }));
    chat.clock.now += await wait();
    expect(kinds(await say())).toContain("fold.done");
    expect((await chat.call("getUsage", { params: { sessionId: session.id } })).breaker).toMatchObject({
      failures: 0,
      open: false,
    });
  });

  it.each([
    ["empty", { text: "" }],
    ["cut off", { text: "The user wanted", finish: "length" }],
    ["a refusal", { text: "I'm sorry, I can't help with that." }],
    ["not smaller", { text: "word ".repeat(6000) }],
  ] as const)(
    "treats a summary that is %s as a failure or holds it to its limit, and never loses a message",
    async (_, reply) => {
      await open();
      chat.setSummary(() => reply);
      const session = await seedHistory(chat, [2000, 1900]);
      const events = await chat.say(session.id, "Still there?");
      expect(find(events, "turn.end")?.status).toBe("complete");
      const summary = await chat.owner.snapshots.activeSummary(session.id);
      if (summary === undefined) expect(lastSent(chat)).toHaveLength(3);
      else expect(summary.tokenCount).toBeLessThanOrEqual(2000);
      expect((await chat.call("listMessages", { params: { sessionId: session.id } })).total).toBe(4);
    },
  );

  it("falls back to the built-in summarizer when the full history certainly cannot be sent", async () => {
    await open();
    chat.setSummary(refuse);
    const session = await seedHistory(chat, [3000, 3000, 2600]);
    const events = await chat.say(session.id, "Still there?");
    expect(kinds(events)).toEqual(expect.arrayContaining(["fold.failed", "fold.done"]));
    expect(find(events, "fold.failed")?.sentInstead).toBe("built-in-summary");
    expect(find(events, "fold.done")?.result.fellBack).toBe(true);
    expect(find(events, "turn.end")?.status).toBe("complete");
    expect(chat.upstream.requests.at(-1)?.outcome.inputTokens).toBeLessThan(8192);
  });

  it("says what is really sent: the earlier summary where there is one, also while it is not tried again", async () => {
    await open();
    const session = await seedHistory(chat, [2000, 1900]);
    expect(kinds(await chat.say(session.id, "Go on"))).toContain("fold.done");
    chat.setSummary(refuse);
    await chat.owner.messages.append(session.id, [saying(1900), saying(1900)]);
    const failed = await chat.say(session.id, "And on");
    expect(find(failed, "fold.failed")?.sentInstead).toBe("earlier-summary");
    expect(lastSent(chat)[0]?.role).toBe("system");
    const skipped = find(await chat.say(session.id, "Still?"), "fold.skipped");
    expect(skipped?.message).toContain("The earlier summary and everything after it are sent.");
    await chat.owner.messages.append(session.id, [saying(4500)]);
    const last = await chat.say(session.id, "Now it cannot fit.");
    expect(find(last, "fold.skipped")?.message).toContain("A summary of the built-in summarizer is sent.");
    expect(find(last, "fold.done")?.result.fellBack).toBe(true);
    expect(chat.upstream.requests.at(-1)?.outcome.inputTokens).toBeLessThan(8192);
  });

  it("learns the real window when the provider finds the request too long, folds and sends again", async () => {
    chat = await openHarness({ simulator: { window: 6000 } });
    const session = await seedHistory(chat, [3000, 2500, 800]);
    const events = await chat.say(session.id, "Hello?");
    expect(find(events, "turn.end")?.status).toBe("complete");
    const replies = chat.upstream.requests.filter(
      ({ raw, method }) => method === "POST" && !raw.toString().includes("<transcript id="),
    );
    expect(replies.map(({ outcome }) => outcome.overflow === true)).toEqual([true, false]);
    expect(await chat.owner.limits.list()).toMatchObject([{ model: "gpt-4o", contextWindow: 6000 }]);
    const usage = await chat.call("getUsage", { params: { sessionId: session.id } });
    expect(usage.window).toBe(6000);
  });

  it("leaves a configured window in force when the provider refuses what it leaves, and folds for this turn", async () => {
    await open({ window: 100_000, simulator: { window: 6000 } });
    const session = await seedHistory(chat, [3000, 2500, 800]);
    expect(find(await chat.say(session.id, "Hello?"), "turn.end")?.status).toBe("complete");
    expect(await chat.owner.limits.list()).toEqual([]);
    expect((await chat.call("getUsage", { params: { sessionId: session.id } })).window).toBe(100_000);
  });

  it("leaves the refusal standing when the user has switched folding off", async () => {
    await open({ window: 100_000, simulator: { window: 6000 }, config: { autoCompression: false } });
    const session = await seedHistory(chat, [3000, 2500, 800]);
    const events = await chat.say(session.id, "Hello?");
    expect(find(events, "turn.error")?.problem.code).toBe("UPSTREAM_OVERFLOW");
    expect(chat.summaries.calls).toBe(0);
  });

  it("summarizes without any key, with the built-in summarizer and the demo model", async () => {
    await open({ env: { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" } });
    const session = await chat.call("loadExample", { body: { language: "zh" } });
    expect(session.model).toMatch(/^midfold-demo-\dk$/);
    const events = await chat.say(session.id, "保留时间是几天？");
    expect(find(events, "fold.done")?.result).toMatchObject({ costUsd: 0, fellBack: false });
    const active = await chat.owner.snapshots.activeSummary(session.id);
    expect(active?.extra).toMatchObject({ origin: "extractive", model: null });
    expect(find(events, "reply.end")?.message.text).toContain("demo");
  });
});

describe("the thread for long histories", () => {
  it("folds as this thread would, and lets it go on meanwhile", async () => {
    await open({ env: { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" } });
    const talk = Array.from({ length: 80 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: `Ticket T-${4000 + i} is about the fence of plot ${i}. ${"It needs paint and a new gate. ".repeat(40)}`,
    }));
    const { session } = await chat.call("importSession", { body: { content: JSON.stringify(talk) } });
    const records = await chat.owner.messages.list(session.id, { limit: 1000 });
    const counter = getCounter("gpt-4o");
    const history = {
      messages: records.map(toMessage),
      held: [],
      options: { budget: 100_000, foldLine: 79 },
      limit: 100_000,
      maxSummaryTokens: 900,
    };
    const choice = builtInSummarizer(counter, "");
    const here = await foldHistory(history, { counter, summarizer: choice.summarizer });
    const stages: string[] = [];
    const signal = new AbortController().signal;
    const model = { counter, countAs: "gpt-4o" } as WriteOptions["model"];
    const tools = { now: Date.now, sleep: async () => undefined } as unknown as Chat;
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    const there = await writeFold(tools, history, {
      model,
      choice,
      signal,
      onProgress: ({ stage }) => stages.push(stage),
    });
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(1);
    expect(there.fold).toEqual(here.fold);
    expect(there.sources).toHaveLength(here.links.length);
    expect(stages).toEqual(["reading", "planning", "writing", "checking", "checking"]);
    expect(there.loss.checked).toBeGreaterThan(80);
    const gone = new AbortController();
    const cancelled = writeFold(tools, history, { model, choice, signal: gone.signal });
    gone.abort(new Error("cancelled"));
    await expect(cancelled).rejects.toThrow("cancelled");
  });
});

describe("when counts are estimates", () => {
  it("asks the provider to count when it matters, and decides by its answer", async () => {
    await open({ provider: "anthropic", simulator: { countScale: 1 } });
    const small = await seedHistory(chat, [500, 500], { model: "claude-sonnet-4-5" });
    await chat.say(small.id, "Go");
    expect(chat.upstream.counts.countRequests).toBe(0);
    const session = await seedHistory(chat, [1700, 1300], { model: "claude-sonnet-4-5" });
    const usage = find(await chat.say(session.id, "Go"), "usage.changed")?.usage;
    expect(chat.upstream.counts.countRequests).toBe(1);
    const sent = chat.upstream.requests.at(-1)?.outcome;
    expect(usage).toMatchObject({ exact: true, total: sent?.inputTokens });
  });

  it("logs a failed count, goes on with the estimate and a stricter threshold", async () => {
    await open({ provider: "anthropic", cannotCount: true });
    const session = await seedHistory(chat, [1300, 1100], { model: "claude-sonnet-4-5" });
    expect(find(await chat.say(session.id, "Go"), "turn.end")?.status).toBe("complete");
    expect(chat.log.some(({ message }) => message.includes("could not count"))).toBe(true);
    const { threshold, exact, window } = await chat.call("getUsage", { params: { sessionId: session.id } });
    expect(exact).toBe(false);
    expect(threshold?.tokens).toBe(Math.floor((window ?? 0) * 0.95 * 0.85) - (window ?? 0) / 2);
  });
});
