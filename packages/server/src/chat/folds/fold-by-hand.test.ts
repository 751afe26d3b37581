import { getCounter } from "@midfold/core";
import { describe, expect, it, vi } from "vitest";
import type { SessionEvent } from "../../api/events.ts";
import type { ChatFold } from "../../api/folds.ts";
import { followEvents, useHarness } from "../chat-harness.test-data.ts";
import { lastPrompt, lastSent, seedHistory } from "../seed-history.test-data.ts";
import { saveFold } from "./fold-state.ts";

describe("a fold by hand", () => {
  const chat = useHarness({ window: 128_000, config: { modelTitles: false } });

  const perRequest = getCounter("gpt-4o").countMessages([]);
  const run = async (sessionId: string, body: object = {}) =>
    settle(sessionId, await chat.call("startFold", { params: { sessionId }, body }));
  const settle = async (sessionId: string, { id }: ChatFold) =>
    vi.waitFor(
      async () => {
        const now = await chat.call("getFold", { params: { sessionId, foldId: id } });
        expect(["done", "failed", "cancelled", "skipped"]).toContain(now.status);
        return now;
      },
      { timeout: 20_000, interval: 20 },
    );
  /** Listens from now on; the function it gives reads until the event of this type. */
  const listen = async (sessionId: string) => {
    const stream = await chat.raw("sessionEvents", { params: { sessionId } });
    return async (last: SessionEvent["type"]) => {
      const seen: SessionEvent[] = [];
      for await (const event of followEvents<SessionEvent>(stream, "sessionEvents")) {
        seen.push(event);
        if (event.type === last) break;
      }
      return seen;
    };
  };
  const view = (sessionId: string) => chat.call("viewModel", { params: { sessionId } });
  const wait = () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    return { gate, release };
  };

  it("tells what a model's summary says and no message does, and marks its sentence", async () => {
    const session = await seedHistory(chat, [1000, 1500], { system: "Tickets are numbered from 77120 on." });
    chat.setSummary(() => ({
      text: "The garden was discussed. The service listens on port 48213. Tickets begin at 77120.",
    }));
    const params = { sessionId: session.id };
    const { result } = await run(session.id);
    expect(result?.warnings[0]).toEqual({
      code: "summary-invented",
      message: "The summary says what is in none of the messages, and is marked so: 48213.",
    });
    const shown = async () => {
      const { activeId } = await chat.call("listSummaries", { params });
      const { text, invented } = await chat.call("getSummary", { params: { ...params, summaryId: activeId! } });
      return invented.map(({ start, end }) => text.slice(start, end));
    };
    expect(await shown()).toContain("The service listens on port 48213 [not in the messages].");
    expect((await shown()).join()).not.toContain("77120");
    const { activeId } = await chat.call("listSummaries", { params });
    const again = await chat.call("regenerateSummary", { params: { ...params, summaryId: activeId! }, body: {} });
    expect((await settle(session.id, again)).result?.warnings.map(({ code }) => code)).toContain("summary-invented");
  });

  it("previews counts and the estimate before any model call, without a side effect", async () => {
    const session = await seedHistory(chat, [1000, 1500, 500]);
    const params = { sessionId: session.id };
    const before = [await view(session.id), await chat.call("getSession", { params }), chat.upstream.requests.length];
    const preview = await chat.call("previewFold", { params, body: { retentionTokens: 600 } });
    expect(preview).toMatchObject({
      totalMessages: 3,
      messagesToSummarize: 2,
      messagesToKeep: 1,
      possible: true,
      tokens: { before: 3000 + perRequest, folded: 2500, kept: 500 },
      summarizer: { model: "gpt-4o-mini" },
    });
    expect(preview.tokens.after).toBe(500 + perRequest + preview.tokens.summaryEstimate);
    expect(preview.costUsd).toBeGreaterThan(0);
    expect(preview.cuts.map(({ messages, keptTokens }) => [messages, keptTokens])).toEqual([
      [1, 2000],
      [2, 500],
      [3, 0],
    ]);
    const after = [await view(session.id), await chat.call("getSession", { params }), chat.upstream.requests.length];
    expect(after).toEqual(before);
  });

  it("summarizes all messages by default, and later requests use the summary", async () => {
    const session = await seedHistory(chat, [1000, 1500, 500]);
    const ended = await run(session.id);
    expect(ended).toMatchObject({ status: "done", type: "manual", result: { messagesSummarized: 3 } });
    await chat.say(session.id, "And now?");
    expect(lastSent(chat).map(({ role }) => role)).toEqual(["system", "user"]);
    const active = await chat.owner.snapshots.activeSummary(session.id);
    expect(active?.content.compressionType).toBe("manual");
  });

  it("a summary names its fold by the id under which the fold is found, also after edits and in a branch", async () => {
    const session = await seedHistory(chat, [1000, 1500, 500]);
    const params = { sessionId: session.id };
    const { id, result } = await run(session.id);
    const summaryId = result!.summaryId;
    const summary = await chat.call("getSummary", { params: { ...params, summaryId } });
    expect(summary.foldId).toBe(id);
    expect(await chat.call("getFold", { params: { ...params, foldId: summary.foldId } })).toMatchObject({
      result: { summaryId },
    });
    const edited = await chat.call("editSummary", {
      params: { ...params, summaryId },
      body: { text: "In other words." },
    });
    expect(edited).toMatchObject({ foldId: id, version: 2 });
    const { messages } = await chat.call("listMessages", { params });
    const branch = await chat.call("branchSession", { params, body: { messageId: messages.at(-1)!.id } });
    const { summaries } = await chat.call("listSummaries", { params: { sessionId: branch.id } });
    for (const { foldId } of summaries) {
      expect(await chat.call("getFold", { params: { sessionId: branch.id, foldId } })).toMatchObject({ id });
    }
    expect(summaries).not.toHaveLength(0);
  });

  it("is still found under the id its summary names when 20 newer ones have taken its place", async () => {
    const session = await seedHistory(chat, [1000, 1500, 500]);
    const { id, result } = await run(session.id);
    const params = { sessionId: session.id, foldId: id };
    const { summaryId } = result!;
    const summary = await chat.call("getSummary", { params: { sessionId: session.id, summaryId } });
    await chat.call("editSummary", { params: { sessionId: session.id, summaryId }, body: { text: "In other words." } });
    for (let at = 0; at < 20; at++) {
      await saveFold(chat.owner, {
        ...(await chat.call("getFold", { params })),
        id: `newer-${at}`,
        startedAt: new Date(chat.clock.now + 1_000 + at).toISOString(),
      });
    }
    const { folds } = await chat.call("listFolds", { params });
    expect(folds.map((fold) => fold.id)).toEqual(Array.from({ length: 20 }, (_, at) => `newer-${19 - at}`));
    expect(await chat.call("getFold", { params })).toEqual({
      ...{ id, sessionId: session.id, type: "manual", action: "fold", status: "done" },
      startedAt: new Date(Date.parse(summary.createdAt) - summary.durationMs!).toISOString(),
      finishedAt: summary.createdAt,
      ...{ progress: null, result: null, error: null, skipReason: null },
    });
    expect(await chat.call("cancelFold", { params })).toMatchObject({ status: "done" });
  });

  it("reports success, the first 200 characters and the reduction", async () => {
    const long = `Start. ${"The fence was discussed at length. ".repeat(20)}`;
    chat.setSummary(() => ({ text: long }));
    const session = await seedHistory(chat, [2000, 2000]);
    const before = (await chat.call("getUsage", { params: { sessionId: session.id } })).total;
    const { result, status } = await run(session.id);
    const after = (await chat.call("getUsage", { params: { sessionId: session.id } })).total;
    expect(status).toBe("done");
    expect([...(result?.preview ?? "")]).toHaveLength(200);
    expect(long.startsWith(result?.preview ?? "?")).toBe(true);
    expect(result).toMatchObject({ tokensBefore: before, tokensAfter: after, reductionTokens: before - after });
    chat.setSummary(() => ({ text: "The garden was discussed." }));
  });

  it("takes a retention or a fold line, moved off a tool exchange, and focus instructions", async () => {
    const tools = [
      { role: "user", content: "Look it up" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "found 42" },
      { role: "assistant", content: "It is 42." },
      { role: "user", content: "Thanks" },
    ];
    const { session } = await chat.call("importSession", { body: { content: JSON.stringify(tools) } });
    const { messages } = await chat.call("listMessages", { params: { sessionId: session.id } });
    const throughMessageId = messages[2]?.id;
    const preview = await chat.call("previewFold", {
      params: { sessionId: session.id },
      body: { throughMessageId },
    });
    expect(preview.cuts.map((cut) => cut.messages)).toEqual([1, 3, 4, 5]);
    expect(preview.foldLine?.messageId).toBe(throughMessageId);
    await run(session.id, { throughMessageId, instructions: "Keep every number." });
    expect(lastPrompt(chat)).toContain("Keep every number.");
    await chat.say(session.id, "More");
    // A summary of what tools said is sent as a user message, never as the system's.
    expect(lastSent(chat).map(({ role }) => role)).toEqual(["user", "assistant", "user", "user"]);
  });

  it("allows folding a short conversation, with a warning, and refuses an empty one", async () => {
    const session = await chat.start();
    const params = { sessionId: session.id };
    const empty = await chat.call("previewFold", { params, body: {} });
    expect(empty).toMatchObject({ possible: false, warnings: [{ code: "nothing-to-fold" }] });
    await expect(chat.call("startFold", { params, body: {} })).rejects.toMatchObject({
      problem: { status: 400 },
    });
    await chat.say(session.id, "I live in Cologne and my dog is called Otto, please remember both of these things.");
    const preview = await chat.call("previewFold", { params, body: {} });
    expect(preview.warnings.map(({ code }) => code)).toContain("low-token-count");
  });

  it("shows progress as events, and can be cancelled while the model writes; nothing changes", async () => {
    const session = await seedHistory(chat, [1500, 1500]);
    const params = { sessionId: session.id };
    const before = await view(session.id);
    const { gate, release } = wait();
    chat.setSummary(async () => {
      await gate;
      return { text: "Too late." };
    });
    const stream = await chat.raw("sessionEvents", { params });
    const seen: SessionEvent[] = [];
    const reading = (async () => {
      for await (const event of followEvents<SessionEvent>(stream, "sessionEvents")) {
        seen.push(event);
        if (event.type === "fold.cancelled") return;
      }
    })();
    const started = await chat.call("startFold", { params, body: {} });
    await vi.waitFor(() => expect(seen.map(({ type }) => type)).toContain("fold.progress"), { timeout: 10_000 });
    await expect(chat.call("startFold", { params, body: {} })).rejects.toMatchObject({
      problem: { status: 409, details: { foldId: started.id } },
    });
    await chat.call("cancelFold", { params: { ...params, foldId: started.id } });
    await reading;
    release();
    expect((await settle(session.id, started)).status).toBe("cancelled");
    expect(seen.map(({ type }) => type)).toEqual(["open", "fold.start", "fold.progress", "fold.cancelled"]);
    expect({ ...(await view(session.id)), at: "" }).toEqual({ ...before, at: "" });
    chat.setSummary(() => ({ text: "The garden was discussed." }));
    const until = await listen(session.id);
    await run(session.id);
    const steps = (await until("fold.done")).flatMap((event) =>
      event.type === "fold.progress" ? [event.progress] : [],
    );
    expect(steps.map(({ phase }) => phase)).toEqual(["summarizing", "checking", "saving"]);
  });

  it("reports a failure, changes nothing, and can be tried again", async () => {
    const session = await seedHistory(chat, [1500, 1500]);
    chat.setSummary(() => ({ fault: { kind: "status", status: 400, message: "no summaries today" } }));
    const until = await listen(session.id);
    const failed = await run(session.id);
    expect((await until("fold.failed")).at(-1)).toMatchObject({
      ...{ type: "fold.failed", foldId: failed.id, trigger: "manual", sentInstead: "nothing" },
      problem: { code: "SUMMARY_FAILED", detail: expect.stringContaining("no summaries today") },
    });
    expect(failed).toMatchObject({ status: "failed", error: { code: "SUMMARY_FAILED", retryable: true } });
    expect((await chat.call("listSummaries", { params: { sessionId: session.id } })).activeId).toBeNull();
    await chat.say(session.id, "I go on without");
    chat.setSummary(() => ({ text: "The garden was discussed." }));
    expect((await run(session.id)).status).toBe("done");
  });

  it("includes the previous summary, keeps every version, and undo restores the one before exactly", async () => {
    const session = await seedHistory(chat, [1500, 1500], { system: "Be brief." });
    const params = { sessionId: session.id };
    const original = await view(session.id);
    chat.setSummary(() => ({ text: "First summary: roses." }));
    await run(session.id);
    await chat.say(session.id, "What about tulips, which I planted along the wall last autumn with my neighbour?");
    const folded = await view(session.id);
    chat.setSummary(() => ({ text: "Second summary: roses and tulips." }));
    await run(session.id);
    expect(lastPrompt(chat)).toContain("First summary: roses.");
    const { summaries } = await chat.call("listSummaries", { params });
    expect(summaries.map(({ status }) => status)).toEqual(["active", "replaced"]);

    const undone = await chat.call("undoSummary", { params });
    expect(undone.summaries.map(({ status }) => status)).toEqual(["undone", "active"]);
    expect((await view(session.id)).body).toEqual(folded.body);
    await chat.call("undoSummary", { params });
    const end = await view(session.id);
    expect(end.messages.slice(0, 3)).toEqual(original.messages);
    await expect(chat.call("undoSummary", { params })).rejects.toMatchObject({ problem: { code: "NOT_FOUND" } });
  });

  it("regenerates, edits and switches between versions; an edit reaches the next request", async () => {
    const session = await seedHistory(chat, [1500, 1500]);
    const params = { sessionId: session.id };
    chat.setSummary(() => ({ text: "Version one: the shed is red." }));
    await run(session.id);
    const first = (await chat.call("listSummaries", { params })).activeId ?? "";
    chat.setSummary(() => ({ text: "Version two: the shed is painted red." }));
    const again = await chat.call("regenerateSummary", {
      params: { ...params, summaryId: first },
      body: { instructions: "Mention paint." },
    });
    expect((await settle(session.id, again)).status).toBe("done");
    expect(lastPrompt(chat)).toContain("Note 0:");
    const second = (await chat.call("listSummaries", { params })).activeId ?? "";
    const rewritten = await chat.call("getSummary", { params: { ...params, summaryId: second } });
    expect(rewritten.text).toContain("Version two");
    const edited = await chat.call("editSummary", {
      params: { ...params, summaryId: second },
      body: { text: "The shed is blue." },
    });
    expect(edited).toMatchObject({ origin: "edited", version: 3, status: "active" });
    await chat.say(session.id, "Which colour?");
    expect(lastSent(chat)[0]?.text).toContain("The shed is blue.");
    const back = await chat.call("activateSummary", { params: { ...params, summaryId: first } });
    expect(back.text).toContain("Version one");
    await expect(
      chat.call("editSummary", { params: { ...params, summaryId: second }, body: { text: "x" } }),
    ).rejects.toMatchObject({ problem: { status: 409 } });
  });

  it("shows the details of a summary: model, tokens, cost, what was lost, and where its sentences came from", async () => {
    const talk = [
      {
        role: "user",
        content: `My order number is A-77123 and it must never be shipped on Fridays. ${"Please remember it well. ".repeat(30)}`,
      },
      {
        role: "assistant",
        content: `Noted: order A-77123. The tracking code is ZX-998-QQ. ${"I will remember it. ".repeat(30)}`,
      },
    ];
    const { session } = await chat.call("importSession", { body: { content: JSON.stringify(talk) } });
    chat.setSummary(() => ({ text: "The user has order number A-77123." }));
    await run(session.id);
    const params = { sessionId: session.id };
    const { activeId } = await chat.call("listSummaries", { params });
    const detail = await chat.call("getSummary", { params: { ...params, summaryId: activeId ?? "" } });
    expect(detail).toMatchObject({
      model: "gpt-4o-mini",
      origin: "model",
      modelUsage: { outputTokens: expect.any(Number) },
    });
    expect(detail.costUsd).toBeGreaterThan(0);
    expect(detail.loss?.checked).toBeGreaterThan(1);
    expect(detail.loss?.kept).toBeGreaterThan(0);
    // The extractor, not the model, puts the constraint back.
    expect(detail.text).toContain("must never be shipped on Fridays");
    const [source] = detail.sources;
    expect(detail.text.slice(source?.start, source?.end)).toContain("A-77123");
    expect(source?.messageIds.length).toBeGreaterThan(0);
    expect(detail.sentAs).toContain(detail.text);
  });
});

describe("the size a dialog promises", () => {
  const chat = useHarness({ window: 32_000, env: { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" } });

  const talk = (from: number, turns: number) =>
    Array.from({ length: turns }, (_, at) => {
      const turn = from + at;
      const text =
        at % 2 === 0
          ? `For order A-${4100 + turn} we need ${turn + 3} panels of 60 cm by ${turn % 28} May. Is the red one in stock?`
          : `There are ${turn * 2} panels in stock at 12.50 € each. We agreed on delivery to Lisbon, dock ${turn}.`;
      return { role: at % 2 === 0 ? "user" : "assistant", content: `${text} ${"It is for the big hall. ".repeat(6)}` };
    });
  const measure = async (sessionId: string, body: object) => {
    const params = { sessionId };
    const { tokens } = await chat.call("previewFold", { params, body });
    const { id } = await chat.call("startFold", { params, body });
    const { result } = await vi.waitFor(
      async () => {
        const now = await chat.call("getFold", { params: { sessionId, foldId: id } });
        expect(now.status).toBe("done");
        return now;
      },
      { timeout: 20_000, interval: 20 },
    );
    return { promised: tokens.after, real: result?.tokensAfter ?? 0, before: result?.tokensBefore ?? 0 };
  };

  it.each([
    [12, {}],
    [60, { retentionTokens: 600 }],
    [700, {}],
  ])("of %i messages is what comes of it, the first time and the next", async (turns, body) => {
    const { session } = await chat.call("importSession", { body: { content: JSON.stringify(talk(0, turns)) } });
    const first = await measure(session.id, body);
    expect(first.promised).toBe(first.real);
    expect(first.real).toBeLessThan(first.before);
    const more = talk(turns, 12).map(({ role, content }) => ({
      role: role as "user" | "assistant",
      parts: [{ type: "text", text: content } as const],
    }));
    await chat.owner.messages.append(session.id, more);
    const second = await measure(session.id, body);
    expect(second.promised).toBe(second.real);
  });
});
