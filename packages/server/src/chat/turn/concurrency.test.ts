import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startPostgres, type TestPostgres } from "../../../../store/src/testing/start-postgres.ts";
import type { TurnEvent } from "../../api/events.ts";
import {
  find,
  followEvents,
  type Harness,
  type HarnessOptions,
  openHarness,
  useHarness,
} from "../chat-harness.test-data.ts";
import { lastSent, seedHistory } from "../seed-history.test-data.ts";

describe.each(["SQLite", "PostgreSQL"])("many at once, on %s", (engine) => {
  let postgres: TestPostgres | undefined;
  let chat: Harness;
  beforeAll(async () => {
    if (engine === "PostgreSQL") postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());
  afterEach(() => chat.close());
  const open = async (options: HarnessOptions = {}) => {
    const url = await postgres?.createDatabase();
    chat = await openHarness({ window: 8192, ...(url === undefined ? {} : { url }), ...options });
  };
  const summariesOf = async (sessionId: string) => chat.owner.snapshots.summaries(sessionId);
  const gated = () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    return { gate, release };
  };

  it("32 requests over the threshold, from two replicas: one summary, nothing lost, every request answered", async () => {
    await open();
    const other = await chat.replica();
    const session = await seedHistory(chat, [1800, 1700, 300, 300]);
    const turns = await Promise.all(
      Array.from({ length: 32 }, (_, i) => (i % 2 === 0 ? chat : other).say(session.id, `question ${i}`)),
    );
    expect(turns.map((events) => find(events, "turn.end")?.status)).toEqual(Array(32).fill("complete"));
    expect(chat.summaries.calls).toBe(1);
    expect(await summariesOf(session.id)).toHaveLength(1);
    const records = await chat.owner.messages.list(session.id, { limit: 1000 });
    const asked = records.filter(({ role }) => role === "user").map(({ parts }) => (parts[0] as { text: string }).text);
    expect(asked.slice(2).toSorted()).toEqual(Array.from({ length: 32 }, (_, i) => `question ${i}`).toSorted());
    expect(records.filter(({ status }) => status === "complete")).toHaveLength(4 + 64);
    // Every reply follows its question.
    for (let i = 4; i < records.length; i += 2)
      expect([records[i]?.role, records[i + 1]?.role]).toEqual(["user", "assistant"]);
  });

  it("keeps a message that arrives while the summary is written, after the summary", async () => {
    await open();
    const session = await seedHistory(chat, [1800, 1900]);
    const { gate, release } = gated();
    chat.setSummary(async () => {
      await gate;
      return { text: "Gardens." };
    });
    const turn = chat.say(session.id, "first question");
    await chat.upstream.waitFor(() => chat.summaries.calls === 1);
    const [late] = await chat.owner.messages.append(session.id, [
      { role: "user", parts: [{ type: "text", text: "late words" }] },
    ]);
    release();
    await turn;
    const context = await chat.owner.context.read(session.id);
    expect(context.summary?.content.messagesIncluded).toBe(2);
    expect(context.messages.map(({ id }) => id)).toContain(late?.id);
  });

  it.each(["hide", "edit", "delete"])(
    "throws a late summary away when the session changed meanwhile: %s",
    async (how) => {
      await open();
      const session = await seedHistory(chat, [1800, 1900]);
      const [first] = await chat.owner.messages.list(session.id);
      const { gate, release } = gated();
      chat.setSummary(async () => {
        await gate;
        return { text: "Gardens." };
      });
      const started = await chat.call("startFold", { params: { sessionId: session.id }, body: {} });
      await chat.upstream.waitFor(() => chat.summaries.calls === 1, 20_000);
      const messageId = first?.id ?? "";
      if (how === "hide") await chat.call("hideMessage", { params: { sessionId: session.id, messageId } });
      else if (how === "delete") await chat.call("deleteSession", { params: { sessionId: session.id } });
      else await chat.owner.messages.edit(session.id, messageId, { parts: [{ type: "text", text: "changed" }] });
      release();
      if (how === "delete") {
        await vi.waitFor(
          () => expect(chat.log.some(({ message }) => message.includes("summary was discarded"))).toBe(true),
          {
            timeout: 20_000,
          },
        );
        return;
      }
      await vi.waitFor(
        async () => {
          const params = { sessionId: session.id, foldId: started.id };
          expect(await chat.call("getFold", { params })).toMatchObject({
            status: "skipped",
            skipReason: "superseded",
          });
        },
        { timeout: 20_000, interval: 20 },
      );
      expect(await summariesOf(session.id)).toEqual([]);
    },
  );

  it("stops a reply from another replica; what arrived is stored and marked", async () => {
    await open();
    const other = await chat.replica();
    const session = await chat.start();
    chat.upstream.setScript(() => ({ text: "word ".repeat(8_000), stream: { deltaChars: 5, delayMs: 20 } }));
    const params = { sessionId: session.id };
    const response = await chat.raw("sendMessage", { params, body: { text: "Talk to me" } });
    const events: TurnEvent[] = [];
    for await (const event of followEvents<TurnEvent>(response, "sendMessage")) {
      events.push(event);
      if (event.type === "reply.text" && events.filter(({ type }) => type === "reply.text").length === 3) {
        expect(await other.call("stopReply", { params })).toEqual({ stopped: 1 });
      }
    }
    expect(find(events, "turn.end")?.status).toBe("interrupted");
    const reply = (await chat.owner.messages.list(session.id)).at(-1);
    expect(reply?.status).toBe("interrupted");
    const { messages } = await chat.call("listMessages", { params });
    expect(messages.at(-1)).toMatchObject({
      status: "interrupted",
      error: "Stopped.",
      text: expect.stringMatching(/^word word/),
    });
    await chat.upstream.waitFor(({ counts }) => counts.aborted === 1);
    // The partial reply is part of the conversation from now on.
    chat.upstream.setScript(() => ({ text: "ok" }));
    await chat.say(session.id, "go on");
    expect(lastSent(chat).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("cancels a fold that another replica is working on", async () => {
    await open();
    const other = await chat.replica();
    const session = await seedHistory(chat, [1800, 1900]);
    const { gate, release } = gated();
    chat.setSummary(async () => {
      await gate;
      return { text: "Gardens." };
    });
    const params = { sessionId: session.id };
    const started = await chat.call("startFold", { params, body: {} });
    await chat.upstream.waitFor(() => chat.summaries.calls === 1, 20_000);
    const both = { ...params, foldId: started.id };
    await chat.call("cancelFold", { params: both });
    await other.call("cancelFold", { params: both });
    await vi.waitFor(async () => expect((await chat.call("getFold", { params: both })).status).toBe("cancelled"), {
      timeout: 20_000,
      interval: 20,
    });
    release();
    expect(await summariesOf(session.id)).toEqual([]);
  });
});

describe("broken and abandoned replies", () => {
  const chat = useHarness({ window: 8192 });

  it("stores what arrived when the provider breaks off, marks it, and says so", async () => {
    const session = await chat.start();
    chat.upstream.setScript(() => ({
      text: "one two three four five six seven",
      stream: { deltaChars: 4 },
      fault: { kind: "cut", afterFrames: 5 },
    }));
    const events = await chat.say(session.id, "Count");
    expect(find(events, "turn.error")).toMatchObject({
      problem: { code: "UPSTREAM_BROKEN" },
      message: { status: "interrupted" },
    });
    const { messages } = await chat.call("listMessages", { params: { sessionId: session.id } });
    expect(messages.at(-1)?.text).toMatch(/^one two/);
    chat.upstream.setScript(() => ({ text: "fine" }));
  });

  it("marks a reply that never began as failed and leaves it out of the next request", async () => {
    const session = await chat.start();
    chat.upstream.failNext({ kind: "status", status: 401 }, 1);
    const events = await chat.say(session.id, "Hello");
    expect(find(events, "turn.error")?.message).toMatchObject({ status: "failed", inContext: false });
    await chat.say(session.id, "Hello again");
    expect(lastSent(chat).map(({ text }) => text)).toEqual(["Hello", "Hello again"]);
  });

  it("goes on when the client is gone, and keeps what has arrived on the way", async () => {
    const session = await chat.start();
    const seen = Promise.withResolvers<void>();
    const hold = { afterFrames: 30, until: seen.promise };
    chat.upstream.setScript(() => ({ text: "word ".repeat(60), stream: { deltaChars: 5, hold } }));
    const response = await chat.raw("sendMessage", { params: { sessionId: session.id }, body: { text: "Talk" } });
    const reader = followEvents<TurnEvent>(response, "sendMessage");
    for await (const event of reader) if (event.type === "reply.text") break;
    const newest = async () => (await chat.owner.messages.list(session.id)).at(-1);
    await expect.poll(newest).toMatchObject({ status: "streaming", parts: [{ type: "text" }] });
    seen.resolve();
    await expect.poll(async () => (await newest())?.status).toBe("complete");
    expect((await newest())?.parts).toEqual([{ type: "text", text: "word ".repeat(60) }]);
    chat.upstream.setScript(() => ({ text: "fine" }));
  });

  it("a reply whose process died ends as interrupted, with what had arrived, when somebody looks", async () => {
    const session = await chat.start();
    const [, dead] = await chat.owner.messages.append(session.id, [
      { role: "user", parts: [{ type: "text", text: "lost question" }] },
      { role: "assistant", parts: [], status: "streaming" },
    ]);
    const place = [session.id, dead?.id ?? ""] as const;
    expect(await chat.owner.messages.saveProgress(...place, [{ type: "text", text: "So far so" }])).toBe(true);
    const params = { sessionId: session.id };
    expect((await chat.call("listMessages", { params })).messages.at(-1)?.status).toBe("streaming");
    chat.clock.now = Date.now() + 60_000;
    expect((await chat.call("listMessages", { params })).messages.at(-1)).toMatchObject({
      status: "interrupted",
      text: "So far so",
      error: "The server stopped while this reply was being written.",
    });
    expect(await chat.owner.messages.saveProgress(...place, [])).toBe(false);
    chat.clock.now = Date.now();
  });

  it("a reply whose process died does not hold folding back for ever", async () => {
    const session = await seedHistory(chat, [1800, 1500]);
    const [, dead] = await chat.owner.messages.append(session.id, [
      { role: "user", parts: [{ type: "text", text: "lost question" }] },
      { role: "assistant", parts: [], status: "streaming" },
    ]);
    await chat.owner.messages.append(session.id, [
      { role: "user", parts: [{ type: "text", text: `more ${"garden ".repeat(1500)}` }] },
    ]);
    // The reply began long ago, and nobody holds its lease.
    chat.clock.now = Date.now() + 60_000;
    const events = await chat.say(session.id, "Anyone?");
    expect(find(events, "fold.done")?.result.messagesSummarized).toBe(4);
    expect((await chat.owner.messages.get(session.id, dead?.id ?? "")).status).toBe("interrupted");
  });
});
