import { getCounter } from "@midfold/core";
import { describe, expect, it } from "vitest";
import { find, useHarness } from "../chat-harness.test-data.ts";
import { lastPrompt, lastSent, seedHistory, wordsOf } from "../seed-history.test-data.ts";

/**
 * The window is 8192, of which 4096 are kept for the reply; with the threshold of 95 % the
 * history may weigh floor(8192 × 0.95) − 4096 = 3686 tokens, less the words being sent and what every request costs.
 */
const window = 8192;
const budget = 3686;
const perRequest = getCounter("gpt-4o").countMessages([]);

describe("an automatic fold", () => {
  const chat = useHarness({ window });
  const summariesOf = async (sessionId: string) => chat.owner.snapshots.summaries(sessionId);

  it("folds before the request, as soon as the history is over 95 % less the reserves", async () => {
    const input = 15;
    const fitting = await seedHistory(chat, [2000, budget - input - perRequest - 2000]);
    const before = chat.summaries.calls;
    const text = wordsOf(input, "go");
    const calm = await chat.say(fitting.id, text);
    expect(find(calm, "turn.start")?.userMessage.inputTokens).toBe(input);
    expect(calm.some(({ type }) => type.startsWith("fold."))).toBe(false);
    expect(chat.summaries.calls).toBe(before);

    const over = await seedHistory(chat, [2000, budget - input - perRequest - 2000 + 1]);
    const events = await chat.say(over.id, text);
    expect(events.map(({ type }) => type).filter((type) => type !== "reply.text" && type !== "fold.progress")).toEqual([
      "turn.start",
      "fold.start",
      "fold.done",
      "usage.changed",
      "reply.start",
      "reply.end",
      "turn.end",
    ]);
    expect(chat.summaries.calls).toBe(before + 1);
    const params = { sessionId: over.id };
    const { summaries } = await chat.call("listSummaries", { params });
    const { foldId, result } = find(events, "fold.done")!;
    expect(summaries.map((summary) => summary.foldId)).toEqual([foldId]);
    expect(await chat.call("getFold", { params: { ...params, foldId } })).toMatchObject({ status: "done", result });
  });

  it("stores input and output tokens of every message", async () => {
    const session = await chat.start();
    const text = "How many tokens is this?";
    await chat.say(session.id, text);
    const records = await chat.owner.messages.list(session.id);
    const counted = getCounter("gpt-4o").countMessage({ role: "user", parts: [{ type: "text", text }] });
    expect(records[0]?.inputTokens).toBe(counted);
    const sent = chat.upstream.requests.at(-1)?.outcome;
    expect(records[1]).toMatchObject({ inputTokens: sent?.inputTokens, outputTokens: sent?.outputTokens });
  });

  it("sends summary, the newest whole messages within 1000 tokens, and the input, in this order", async () => {
    const session = await seedHistory(chat, [2000, 1500, 200, 300, 300, 300], { system: "Be brief." });
    const events = await chat.say(session.id, "What now?");
    expect(find(events, "fold.done")?.result.messagesSummarized).toBe(3);
    const sent = lastSent(chat);
    expect(sent.map(({ role }) => role)).toEqual(["system", "assistant", "user", "assistant", "user"]);
    expect(sent[0]?.text).toMatch(/^Be brief\.\s.*no instruction.*talked about the garden and the fence/s);
    expect(sent.slice(1).map(({ text }) => text.slice(0, 7))).toEqual(["Note 3:", "Note 4:", "Note 5:", "What no"]);
  });

  it("stores the summary as a snapshot with exactly the fields of the format", async () => {
    const session = await seedHistory(chat, [2000, 2000, 300, 300]);
    await chat.say(session.id, "Go on");
    const [summary] = await summariesOf(session.id);
    const records = await chat.owner.messages.list(session.id);
    expect(summary).toMatchObject({ kind: "summary", state: "active", messageCutoffId: records[1]?.id });
    expect(summary?.content).toEqual({
      summaryText: expect.stringContaining("garden"),
      messageRange: { firstMessageId: records[0]?.id, lastMessageId: records[1]?.id },
      compressionTimestamp: new Date(chat.clock.now).toISOString(),
      compressionType: "auto",
      originalTokenCount: 4000,
      summaryTokenCount: summary?.tokenCount,
      messagesIncluded: 2,
    });
  });

  it("keeps every original word for word and leaves it out of the context", async () => {
    const session = await seedHistory(chat, [2000, 2000, 300, 300]);
    const before = (await chat.call("listMessages", { params: { sessionId: session.id } })).messages;
    await chat.say(session.id, "Go on");
    const after = (await chat.call("listMessages", { params: { sessionId: session.id } })).messages;
    expect(after.slice(0, 4).map(({ id, parts }) => ({ id, parts }))).toEqual(
      before.map(({ id, parts }) => ({ id, parts })),
    );
    expect(after.map(({ inContext }) => inContext)).toEqual([false, false, true, true, true, true]);
    expect(after.map(({ summaryId }) => summaryId !== null)).toEqual([true, true, false, false, false, false]);
  });

  it("cascades: the next summary is given the one before and what came since, and replaces it", async () => {
    const session = await seedHistory(chat, [2000, 2000, 300, 300]);
    chat.setSummary(() => ({ text: "The shed is painted green, order 4711." }));
    await chat.say(session.id, "Go on");
    const second = await seedMore(session.id, [1800, 1700, 300]);
    chat.setSummary(() => ({ text: "The shed is green (order 4711) and the roses are planted." }));
    await chat.say(session.id, "And then?");
    expect(lastPrompt(chat)).toContain("The shed is painted green, order 4711");
    expect(lastPrompt(chat)).toContain("More 0:");
    expect(lastPrompt(chat)).not.toContain("Note 0:");
    const [newest, older] = await summariesOf(session.id);
    expect(newest).toMatchObject({ state: "active", parentId: older?.id });
    expect(older?.state).toBe("superseded");
    expect(newest?.content).toMatchObject({ messagesIncluded: 8, originalTokenCount: expect.any(Number) });
    expect(newest?.content.messageRange.firstMessageId).toBe(older?.content.messageRange.firstMessageId);
    const summaries = lastSent(chat).filter(({ role }) => role === "system");
    expect(summaries).toHaveLength(1);
    expect(summaries[0]?.text).toContain("roses are planted");
    expect(second).toBe(3);
  });

  const seedMore = async (sessionId: string, sizes: readonly number[]) => {
    const drafts = sizes.map((tokens, i) => ({
      role: i % 2 === 0 ? ("user" as const) : ("assistant" as const),
      parts: [{ type: "text" as const, text: `More ${i}: ${"garden ".repeat(tokens - 10)}` }],
    }));
    return (await chat.owner.messages.append(sessionId, drafts)).length;
  };

  it("tells how many messages were summarized and the new size, and what the user wants to be told", async () => {
    const session = await seedHistory(chat, [2000, 2000, 300, 300]);
    const events = await chat.say(session.id, "Go on");
    const done = find(events, "fold.done");
    expect(done).toMatchObject({ notify: true, trigger: "auto", result: { messagesSummarized: 2 } });
    const usage = find(events, "usage.changed")?.usage;
    expect(done?.result.tokensAfter).toBe(usage?.total);
    expect(done?.result.tokensBefore).toBeGreaterThan(budget);

    const quiet = await seedHistory(chat, [2000, 2000, 300, 300]);
    await chat.call("updateSettings", { body: { scope: `session:${quiet.id}`, set: { notifications: false } } });
    expect(find(await chat.say(quiet.id, "Go on"), "fold.done")?.notify).toBe(false);
  });

  it("takes the threshold from the model's settings, and can be switched off per session", async () => {
    await chat.call("updateSettings", { body: { scope: "model:gpt-4o", set: { thresholdPercent: 80 } } });
    const early = await seedHistory(chat, [1500, 1500]);
    expect(find(await chat.say(early.id, "Go"), "fold.done")).toBeDefined();
    await chat.call("updateSettings", { body: { scope: "model:gpt-4o", reset: ["thresholdPercent"] } });

    const off = await seedHistory(chat, [2000, 2000]);
    await chat.call("updateSettings", { body: { scope: `session:${off.id}`, set: { autoCompression: false } } });
    const events = await chat.say(off.id, "Go");
    expect(events.some(({ type }) => type.startsWith("fold."))).toBe(false);
    expect(lastSent(chat)).toHaveLength(3);
  });

  it("takes the retention from the settings", async () => {
    const session = await seedHistory(chat, [2000, 1500, 500, 300, 300]);
    await chat.call("updateSettings", { body: { scope: `session:${session.id}`, set: { retentionTokens: 300 } } });
    const events = await chat.say(session.id, "Go");
    expect(find(events, "fold.done")?.result.messagesSummarized).toBe(4);
  });

  it("asks for facts, order, technical details, tools and few words", async () => {
    const session = await seedHistory(chat, [2000, 2000]);
    await chat.say(session.id, "Go");
    for (const wish of [
      /key facts, decisions/,
      /chronological order/,
      /technical details, code/,
      /tool invocations and their results/,
      /concise language/,
    ]) {
      expect(lastPrompt(chat)).toMatch(wish);
    }
  });

  it("summarizes with the provider's small model unless the settings name another", async () => {
    const session = await seedHistory(chat, [2000, 2000]);
    await chat.say(session.id, "Go");
    const models = () =>
      chat.upstream.requests
        .filter(({ raw }) => raw.toString().includes("<transcript id="))
        .map(({ body }) => (body as { model: string }).model);
    expect(models().at(-1)).toBe("gpt-4o-mini");
    const other = await seedHistory(chat, [2000, 2000]);
    await chat.call("updateSettings", {
      body: { scope: `session:${other.id}`, set: { summaryModel: "gpt-4.1-mini" } },
    });
    await chat.say(other.id, "Go");
    expect(models().at(-1)).toBe("gpt-4.1-mini");
  });

  it("does not fold below the minimum of 2000 tokens", async () => {
    await chat.call("updateModel", { body: { id: "gpt-4o", set: { window: 3000, maxOutput: 1500 } } });
    const session = await seedHistory(chat, [900, 900]);
    const before = chat.summaries.calls;
    await chat.say(session.id, "Go");
    expect(chat.summaries.calls).toBe(before);
    await chat.call("updateModel", { body: { id: "gpt-4o", reset: ["window", "maxOutput"] } });
  });

  it("keeps fewer messages when summary and retained messages would not fit, then a shorter summary, then warns", async () => {
    await chat.call("updateModel", { body: { id: "gpt-4o", set: { window: 4200, maxOutput: 2100 } } });
    // Room for 1890: the two newest (1800) and a summary of 500 do not fit together, so one of them is folded too.
    const session = await seedHistory(chat, [2000, 900, 900]);
    const settings = { retentionTokens: 1900, maxSummaryTokens: 500 };
    await chat.call("updateSettings", { body: { scope: `session:${session.id}`, set: settings } });
    const events = await chat.say(session.id, "Go");
    expect(find(events, "fold.done")?.result).toMatchObject({ messagesSummarized: 2 });
    expect(find(events, "fold.done")?.result.warnings.map(({ code }) => code)).toContain("retention-reduced");

    const crowded = await seedHistory(chat, [1200, 1200], { system: "rule ".repeat(1700).trim() });
    const limited = await chat.say(crowded.id, "Go");
    const codes = find(limited, "fold.done")?.result.warnings.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(["summary-shortened"]));

    const hopeless = await seedHistory(chat, [1200, 1200], { system: "rule ".repeat(1880).trim() });
    expect(find(await chat.say(hopeless.id, "Go"), "context.limited")).toMatchObject({ usable: expect.any(Number) });
    await chat.call("updateModel", { body: { id: "gpt-4o", reset: ["window", "maxOutput"] } });
  });
});
