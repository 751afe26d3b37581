import type { Script } from "@midfold/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startPostgres, type TestPostgres } from "../../../../store/src/testing/start-postgres.ts";
import type { TurnEvent } from "../../api/events.ts";
import { find, followEvents, type Harness, openHarness, type Replica, readEvents } from "../chat-harness.test-data.ts";
import { lastSent, seedHistory } from "../seed-history.test-data.ts";

const slowly: Script = () => ({ text: "word ".repeat(8_000), stream: { deltaChars: 5, delayMs: 20 } });

describe.each(["SQLite", "PostgreSQL"])("a turn can be stopped at any moment, on %s", (engine) => {
  let postgres: TestPostgres | undefined;
  let chat: Harness;
  beforeAll(async () => {
    if (engine === "PostgreSQL") postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());
  afterEach(() => chat.close());

  const open = async () => {
    const url = await postgres?.createDatabase();
    chat = await openHarness({ window: 8192, ...(url === undefined ? {} : { url }) });
  };
  const send = (sessionId: string, body: object = {}) =>
    chat.raw("sendMessage", { params: { sessionId }, body: { text: "Talk to me", ...body } });
  const stop = (sessionId: string, by: Replica = chat) => by.call("stopReply", { params: { sessionId } });
  const records = (sessionId: string) => chat.owner.messages.list(sessionId, { limit: 1000 });

  /** The question is stored, the reply is empty with a reason, and the next turn works. */
  const expectStopped = async (sessionId: string, events: readonly TurnEvent[]) => {
    expect(find(events, "turn.end")?.status).toBe("interrupted");
    expect(find(events, "reply.end")?.message).toMatchObject({ status: "interrupted", error: "Stopped.", text: "" });
    expect((await records(sessionId)).map(({ role, status }) => [role, status])).toEqual([
      ["user", "complete"],
      ["assistant", "interrupted"],
    ]);
    chat.upstream.setScript(() => ({ text: "ok" }));
    expect(find(await chat.say(sessionId, "go on"), "turn.end")?.status).toBe("complete");
    expect(lastSent(chat).map(({ text }) => text)).toEqual(expect.arrayContaining(["Talk to me", "go on"]));
    expect(lastSent(chat).map(({ role }) => role)).not.toContain("assistant");
  };

  it("as soon as the server has read it, before anything of it is stored", async () => {
    await open();
    const { id } = await chat.start();
    const asked = chat.upstream.counts.requests;
    const of = chat.store.of.bind(chat.store);
    const stopped: unknown[] = [];
    const slow = vi.spyOn(chat.store, "of").mockImplementation((name) => {
      const own = of(name);
      const append: typeof own.messages.append = async (...input) => {
        slow.mockRestore();
        stopped.push(await stop(id));
        return own.messages.append(...input);
      };
      return { ...own, messages: { ...own.messages, append } };
    });
    const events = await readEvents<TurnEvent>(await send(id), "sendMessage");
    expect(stopped).toEqual([{ stopped: 1 }]);
    expect(chat.upstream.counts.requests).toBe(asked);
    await expectStopped(id, events);
  });

  it("right after its start, however the two requests meet", async () => {
    await open();
    chat.upstream.setScript(slowly);
    for (let turn = 0; turn < 12; turn++) {
      const { id } = await chat.start();
      const response = await send(id);
      const reading = readEvents<TurnEvent>(response, "sendMessage");
      for (let waited = 0; waited < turn; waited++) await new Promise((resolve) => setImmediate(resolve));
      expect(await stop(id)).toEqual({ stopped: 1 });
      expect(find(await reading, "turn.end")?.status).toBe("interrupted");
    }
  });

  it("before the model's first word, from another replica", async () => {
    await open();
    const other = await chat.replica();
    const { id } = await chat.start();
    const asked = chat.upstream.counts.requests;
    chat.upstream.setScript(() => ({ text: "never said", fault: { kind: "silence" } }));
    const events: TurnEvent[] = [];
    for await (const event of followEvents<TurnEvent>(await send(id), "sendMessage")) {
      events.push(event);
      if (event.type !== "reply.start") continue;
      await chat.upstream.waitFor(({ counts }) => counts.requests === asked + 1);
      expect(await stop(id, other)).toEqual({ stopped: 1 });
    }
    await expectStopped(id, events);
  });

  it("at its very start, from another replica", async () => {
    await open();
    const other = await chat.replica();
    const { id } = await chat.start();
    // The model says nothing until the stop has arrived, however long that takes.
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    chat.upstream.setScript(async () => {
      await gate;
      return { text: "too late" };
    });
    // Stored, answered, and not yet read by anyone: the stream waits for its reader.
    const response = await send(id);
    expect(await stop(id, other)).toEqual({ stopped: 1 });
    const events = await readEvents<TurnEvent>(response, "sendMessage");
    release();
    await expectStopped(id, events);
  });

  it("while the conversation is being folded first: no summary, no reply", async () => {
    await open();
    const { id } = await seedHistory(chat, [1800, 1900]);
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    chat.setSummary(async () => {
      await gate;
      return { text: "Gardens." };
    });
    const events: TurnEvent[] = [];
    for await (const event of followEvents<TurnEvent>(await send(id), "sendMessage")) {
      events.push(event);
      if (event.type === "fold.start") expect(await stop(id)).toEqual({ stopped: 1 });
    }
    release();
    expect(events.map(({ type }) => type)).toContain("fold.cancelled");
    expect(events.map(({ type }) => type)).not.toContain("reply.start");
    expect(find(events, "turn.end")?.status).toBe("interrupted");
    expect((await records(id)).map(({ role, status }) => [role, status])).toEqual([
      ["user", "complete"],
      ["assistant", "complete"],
      ["user", "complete"],
      ["assistant", "interrupted"],
    ]);
    expect(await chat.owner.snapshots.summaries(id)).toEqual([]);
  });

  it("when it is an answer given again, and when nobody reads along", async () => {
    await open();
    const { id } = await chat.start();
    await chat.say(id, "Talk to me");
    const [question] = await records(id);
    chat.upstream.setScript(slowly);
    const params = { sessionId: id, messageId: question?.id ?? "" };
    const again = await chat.raw("retryMessage", { params, body: {} });
    expect(await stop(id)).toEqual({ stopped: 1 });
    const events = await readEvents<TurnEvent>(again, "retryMessage");
    expect(find(events, "turn.end")?.status).toBe("interrupted");

    const waiting = send(id, { stream: false });
    const replying = async () => (await chat.call("getSession", { params: { sessionId: id } })).replying;
    await expect.poll(replying).toBe(true);
    expect(await stop(id)).toEqual({ stopped: 1 });
    expect(await (await waiting).json()).toMatchObject({ reply: { status: "interrupted", error: "Stopped." } });
  });

  it("but not by a client that only leaves", async () => {
    await open();
    const { id } = await chat.start();
    const response = await send(id);
    await response.body?.cancel();
    await expect
      .poll(async () => (await records(id)).map(({ role, status }) => [role, status]))
      .toEqual([
        ["user", "complete"],
        ["assistant", "complete"],
      ]);
    await expect.poll(async () => (await chat.call("getSession", { params: { sessionId: id } })).replying).toBe(false);
  });

  it("by nobody but its owner", async () => {
    await open();
    const { id: sessionId } = await chat.start();
    chat.upstream.setScript(() => ({ text: "word ".repeat(20), stream: { deltaChars: 5, delayMs: 10 } }));
    const turn = chat.say(sessionId, "Hello");
    for (const operation of ["stopReply", "deleteSession"] as const) {
      const refused = chat.call(operation, { params: { sessionId }, owner: "someone" });
      await expect(refused).rejects.toMatchObject({ problem: { status: 404 } });
    }
    expect(find(await turn, "turn.end")?.status).toBe("complete");
  });

  it("and a stop with nothing to stop says so, and leaves the next turn alone", async () => {
    await open();
    const { id } = await chat.start();
    expect(await stop(id)).toEqual({ stopped: 0 });
    expect(find(await chat.say(id, "Hello"), "turn.end")?.status).toBe("complete");
  });
});
