import { getCounter } from "@midfold/core";
import { describe, expect, it } from "vitest";
import type { Usage } from "../../api/usage.ts";
import { find, useHarness } from "../chat-harness.test-data.ts";
import { lastSent, seedHistory } from "../seed-history.test-data.ts";

describe("what the model sees", () => {
  const chat = useHarness({ window: 8192 });
  const category = (usage: Usage | undefined, name: string) =>
    usage?.categories.find((row) => row.category === name)?.tokens;
  /** Never below the provider's count, and above it by no more than the overhead of a few messages. */
  const expectClose = (ours: number | undefined, theirs: number | undefined) => {
    expect(ours).toBeGreaterThanOrEqual(theirs ?? Number.NaN);
    expect(ours).toBeLessThanOrEqual((theirs ?? Number.NaN) + 12);
  };
  const counter = getCounter("gpt-4o");
  const perRequest = counter.countMessages([]);
  const weigh = (role: "system" | "user", text: string) =>
    counter.countMessage({ role, parts: [{ type: "text", text }] });
  const sum = (usage: Usage) => usage.categories.reduce((total, { tokens }) => total + tokens, 0);

  it("measures the next request by category; the rows add up to the window", async () => {
    const session = await seedHistory(chat, [600, 400], { system: "Be brief." });
    const params = { sessionId: session.id };
    const usage = await chat.call("getUsage", { params });
    expect(usage).toMatchObject({ window: 8192, usable: 3686, exact: true, counter: "o200k_base", level: "ok" });
    expect(category(usage, "recent")).toBe(1000);
    expect(usage.total).toBe(1000 + perRequest + weigh("system", "Be brief."));
    expect(sum(usage)).toBe(8192);
    expect(category(usage, "reserved")).toBe(8192 - 3686);
    const drafted = await chat.call("measureDraft", { params, body: { draft: "one two three" } });
    const draft = weigh("user", "one two three");
    expect(category(drafted, "draft")).toBe(draft);
    expect(drafted.total).toBe(usage.total + draft);
    expect(sum(drafted)).toBe(8192);
    expect((await chat.call("getSession", { params })).messageCount).toBe(2);
  });

  it("warns from 80 % and is critical from 95 % of what can be used, and marks where folding begins", async () => {
    const levels = [];
    for (const tokens of [2900, 2946, 3498, 3500]) {
      const session = await seedHistory(chat, [tokens]);
      const usage = await chat.call("getUsage", { params: { sessionId: session.id } });
      levels.push([usage.percent, usage.level]);
      expect(usage.threshold).toEqual({ percent: 95, tokens: 3686, percentOfUsable: 100 });
    }
    expect(levels).toEqual([
      [78.8, "ok"],
      [80, "warning"],
      [95, "critical"],
      [95, "critical"],
    ]);
  });

  it("falls the moment a fold happens, and agrees with the request to the token", async () => {
    const session = await seedHistory(chat, [2000, 1500, 300]);
    const events = await chat.say(session.id, "Go on");
    const usage = find(events, "usage.changed")?.usage;
    expectClose(usage?.total, chat.upstream.requests.at(-1)?.outcome.inputTokens);
    expect(usage?.percent).toBeLessThan(50);
    expect(category(usage, "summary")).toBeGreaterThan(20);
  });

  it("forecasts the turns left from the size of the last turns", async () => {
    const session = await seedHistory(chat, [100, 200, 100, 200, 100, 200]);
    const usage = await chat.call("getUsage", { params: { sessionId: session.id } });
    expect(usage.turnsLeft).toBe(Math.floor((3686 - 900 - perRequest) / 300));
  });

  it("shows counts and no percentage when the window is not known", async () => {
    const session = await chat.start({ model: "some-unheard-of-model" });
    await chat.say(session.id, "Hi");
    const usage = await chat.call("getUsage", { params: { sessionId: session.id } });
    expect(usage).toMatchObject({ window: null, usable: null, percent: null, level: "unknown", threshold: null });
    expect(usage.total).toBeGreaterThan(0);
    await chat.call("updateModel", { body: { id: "some-unheard-of-model", set: { window: 5000 } } });
    expect((await chat.call("getUsage", { params: { sessionId: session.id } })).window).toBe(5000);
  });

  it("shows the exact next request: its body is what is sent", async () => {
    const session = await seedHistory(chat, [2000, 1500, 300, 400], { system: "Be brief." });
    await chat.say(session.id, "Fold now");
    const params = { sessionId: session.id };
    const view = await chat.call("viewModelWithDraft", { params, body: { draft: "What next?" } });
    expect(view.messages.map(({ kind }) => kind)).toEqual([
      "system",
      "summary",
      "recent",
      "recent",
      "recent",
      "recent",
      "draft",
    ]);
    expect(view.leftOut).toBe(2);
    await chat.say(session.id, "What next?");
    expect(view.body).toEqual(chat.upstream.requests.at(-1)?.body);
    expectClose(view.tokens, chat.upstream.requests.at(-1)?.outcome.inputTokens);
  });

  it("shows past turns as they were sent, whatever happened since", async () => {
    const session = await seedHistory(chat, [1500, 1500], { system: "First rules." });
    const params = { sessionId: session.id };
    const sent: unknown[] = [];
    const turns: string[] = [];
    const say = async (text: string) => {
      const events = await chat.say(session.id, text);
      turns.push(find(events, "reply.end")?.message.id ?? "");
      sent.push(chat.upstream.requests.at(-1)?.body);
    };
    await say("before the fold");
    await say(`fold ${"garden ".repeat(700)}`);
    await chat.call("updateSession", { params, body: { system: "Second rules." } });
    await say("after the fold");
    await chat.call("retryMessage", { params: { ...params, messageId: turns.at(-1) ?? "" }, body: { stream: false } });
    await chat.call("undoSummary", { params });
    for (const [i, turn] of turns.entries()) {
      const view = await chat.call("viewModel", { params, query: { turn } });
      expect((view.body as { messages: unknown }).messages).toEqual((sent[i] as { messages: unknown }).messages);
    }
    const list = await chat.call("listTurns", { params });
    expect(list.turns.map(({ turnId }) => turnId).slice(0, 3)).toEqual(turns);
    expect(list.turns.map(({ summaryId }) => summaryId !== null)).toEqual([false, true, true, true]);
    for (const { inputTokens, providerTokens } of list.turns) expectClose(inputTokens, providerTokens ?? undefined);
  });

  it("counts text, tool calls with input and output, and of attachments only name, type and size", async () => {
    const base = await chat.start();
    const count = async (parts: readonly object[]) => {
      const turn = await chat.call("sendMessage", { params: { sessionId: base.id }, body: { parts, stream: false } });
      return turn.userMessage.inputTokens ?? 0;
    };
    const words = await count([{ type: "text", text: "hello there" }]);
    const file = { type: "file", name: "report.pdf", mediaType: "application/pdf", data: "A".repeat(40_000) };
    const withFile = await count([{ type: "text", text: "hello there" }, file]);
    expect(withFile).toBeGreaterThan(words);
    expect(withFile).toBeLessThan(words + 100);
    const tools = JSON.stringify([
      { role: "user", content: "q" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: '{"a":"some words in here"}' } }],
      },
      { role: "tool", tool_call_id: "c", content: "many more words come out of it" },
    ]);
    const { session } = await chat.call("importSession", { body: { content: tools } });
    const { messages } = await chat.call("listMessages", { params: { sessionId: session.id } });
    expect(messages[1]?.outputTokens).toBeGreaterThan(8);
    expect(messages[2]?.inputTokens).toBeGreaterThan(8);
    await chat.say(session.id, "and?");
    expect(lastSent(chat)).toHaveLength(4);
  });

  it("counts what is sent: the text of a file, in the draft and once it is stored", async () => {
    const { id: sessionId } = await chat.start();
    const file = { type: "file", name: "notes.txt", mediaType: "text/plain", text: "garden ".repeat(3000) };
    const draft = await chat.call("measureDraft", {
      params: { sessionId },
      body: { draft: "Read this.", parts: [file] },
    });
    expect(draft.total).toBeGreaterThan(3000);
    const { userMessage } = await chat.call("sendMessage", {
      params: { sessionId },
      body: { text: "Read this.", parts: [file], stream: false },
    });
    expect(userMessage.inputTokens).toBeGreaterThan(3000);
    expectClose(draft.total, chat.upstream.requests.at(-1)?.outcome.inputTokens);
  });

  it("the usable window stays what it is, however much is pasted", async () => {
    const { id: sessionId } = await chat.start();
    const empty = await chat.call("getUsage", { params: { sessionId } });
    const pasted = await chat.call("measureDraft", {
      params: { sessionId },
      body: { draft: "garden ".repeat(87_000) },
    });
    expect(pasted.usable).toBe(empty.usable);
    expect(pasted.percent).toBeGreaterThan(1000);
    for (const { tokens } of pasted.categories) expect(tokens).toBeGreaterThanOrEqual(0);
  });

  it("shortens what is too long for the window until it fits, and marks where", async () => {
    const { id: sessionId } = await chat.start();
    const body = {
      draft: "What does it say?",
      parts: [{ type: "file", name: "long.txt", text: `Begin. ${"garden ".repeat(30_000)} The end.` }],
    };
    const clipped = await chat.call("clipDraft", { params: { sessionId }, body });
    expect(clipped.tokens).toBeLessThanOrEqual(clipped.room);
    expect(clipped.draft).toBe(body.draft);
    expect(clipped.parts[0]).toMatchObject({
      name: "long.txt",
      text: expect.stringMatching(/^Begin\.[\s\S]*The end\.$/),
    });
    const { draft, parts } = clipped;
    const usage = await chat.call("measureDraft", { params: { sessionId }, body: { draft, parts } });
    expect(usage.percent).toBeLessThanOrEqual(100);
    const short = await chat.call("clipDraft", { params: { sessionId }, body: { draft: "Short." } });
    expect(short.draft).toBe("Short.");
  });

  it("never reads a summarized message to build the context", async () => {
    const session = await seedHistory(chat, [2000, 1700, 300]);
    await chat.say(session.id, "Fold");
    const context = await chat.owner.context.read(session.id);
    expect(context.messages.every(({ seq }) => seq > (context.summary?.cutoffSeq ?? 0))).toBe(true);
    expect(context.messages.length).toBe(3);
  });
});
