import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../api/events.ts";
import { followEvents, useHarness } from "../chat-harness.test-data.ts";
import { seedHistory } from "../seed-history.test-data.ts";

describe("history", () => {
  const chat = useHarness({ window: 8192 });

  it("pages through everything ever said, in both directions and around a message", async () => {
    const session = await seedHistory(
      chat,
      Array.from({ length: 25 }, () => 12),
    );
    const params = { sessionId: session.id };
    const newest = await chat.call("listMessages", { params, query: { limit: "10" } });
    expect(newest.messages.map(({ sequence }) => sequence)).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
    expect(newest).toMatchObject({ total: 25, before: "16", after: null });
    const older = await chat.call("listMessages", { params, query: { limit: "10", before: newest.before ?? "" } });
    expect(older.messages.at(-1)?.sequence).toBe(15);
    const oldest = await chat.call("listMessages", { params, query: { limit: "10", before: older.before ?? "" } });
    expect(oldest).toMatchObject({ before: null, after: "5" });
    const target = older.messages[4];
    const around = await chat.call("listMessages", { params, query: { limit: "6", around: target?.id ?? "" } });
    expect(around.messages.map(({ sequence }) => sequence)).toEqual([8, 9, 10, 11, 12, 13]);
    const bad = chat.call("listMessages", { params, query: { before: "x" } });
    await expect(bad).rejects.toMatchObject({ problem: { status: 400 } });
  });

  it("marks what a summary stands for as no longer in the context", async () => {
    const session = await seedHistory(chat, [2000, 1800, 300]);
    const params = { sessionId: session.id };
    await chat.say(session.id, "Fold");
    const { messages } = await chat.call("listMessages", { params });
    const { activeId } = await chat.call("listSummaries", { params });
    expect(activeId).not.toBeNull();
    expect(messages.map(({ inContext, summaryId }) => [inContext, summaryId])).toEqual([
      [false, activeId],
      [false, activeId],
      [true, null],
      [true, null],
      [true, null],
    ]);
  });

  it("finds words in the full history and says where each hit lives now", async () => {
    const talk = [
      { role: "user", content: `The parcel PX-4410 went to Hamburg. ${"filler words go on and on ".repeat(330)}` },
      {
        role: "assistant",
        content: `The lighthouse keeper is called Mikkelsen. ${"filler words go on and on ".repeat(330)}`,
      },
      { role: "user", content: "Where is Hamburg?" },
      { role: "assistant", content: "In the north of Germany." },
    ];
    const { session } = await chat.call("importSession", { body: { content: JSON.stringify(talk), title: "Parcels" } });
    const params = { sessionId: session.id };
    chat.setSummary(() => ({ text: "The parcel PX-4410 went to Hamburg." }));
    await chat.say(session.id, "Fold please");
    const places = async (q: string) =>
      (await chat.call("searchSession", { params, query: { q } })).hits.map(({ sequence, place }) => [sequence, place]);
    expect(await places("Hamburg")).toEqual([
      [3, "in-context"],
      [1, "in-summary"],
    ]);
    const lost = await chat.call("searchSession", { params, query: { q: "lighthouse" } });
    expect(lost).toMatchObject({ total: 1, totalIsExact: true });
    const [hit] = lost.hits;
    expect(hit?.excerpt.slice(...(hit.highlights[0] ?? [0, 0])).toLowerCase()).toBe("lighthouse");
    expect(hit?.place === "folded" || hit?.place === "in-summary").toBe(true);
    const everywhere = await chat.call("searchAll", { query: { q: "Mikkelsen" } });
    expect(everywhere.hits).toMatchObject([{ sessionId: session.id, sessionTitle: "Parcels" }]);
    expect((await chat.call("searchAll", { query: { q: "Mikkelsen" }, owner: "someone" })).total).toBe(0);
  });

  it("finds Chinese words without spaces", async () => {
    const session = await chat.call("loadExample", { body: { language: "zh" } });
    const found = await chat.call("searchSession", { params: { sessionId: session.id }, query: { q: "馆藏号" } });
    expect(found.total).toBeGreaterThan(1);
  });

  it("hides a message: out of the conversation and of the summary that covered it, still in the hidden history", async () => {
    const session = await seedHistory(chat, [2000, 1800, 300]);
    const params = { sessionId: session.id };
    await chat.say(session.id, "Fold");
    const { messages } = await chat.call("listMessages", { params });
    await chat.call("hideMessage", { params: { ...params, messageId: messages[0]?.id ?? "" } });
    expect((await chat.call("listSummaries", { params })).summaries.map(({ status }) => status)).toEqual(["void"]);
    const view = await chat.call("viewModel", { params });
    expect(view.messages.some(({ messageId }) => messageId === messages[0]?.id)).toBe(false);
  });

  it("brings a hidden message back to where it stood", async () => {
    const session = await seedHistory(chat, [20, 20, 20]);
    const params = { sessionId: session.id };
    const before = await chat.call("viewModel", { params });
    const { messages } = await chat.call("listMessages", { params });
    const one = { ...params, messageId: messages[1]?.id ?? "" };
    expect(await chat.call("hideMessage", { params: one })).toMatchObject({ visibility: "hidden", inContext: false });
    expect((await chat.call("viewModel", { params })).messages).toHaveLength(before.messages.length - 1);
    expect(await chat.call("restoreMessage", { params: one })).toMatchObject({
      visibility: "visible",
      inContext: true,
    });
    expect(await chat.call("viewModel", { params })).toEqual(before);
    const nobody = chat.call("restoreMessage", { params: { ...params, messageId: "nobody" } });
    await expect(nobody).rejects.toMatchObject({ problem: { status: 404 } });
  });

  it("tells everyone who watches a session what happens in it, with the records themselves", async () => {
    const session = await chat.start();
    const params = { sessionId: session.id };
    const stream = await chat.raw("sessionEvents", { params });
    const seen: SessionEvent[] = [];
    const reading = (async () => {
      for await (const event of followEvents<SessionEvent>(stream, "sessionEvents")) {
        seen.push(event);
        if (event.type === "session.updated" && event.session.title === "Renamed") return;
      }
    })();
    chat.upstream.setScript(() => ({ text: "word ".repeat(20), stream: { deltaChars: 5, delayMs: 10 } }));
    await chat.say(session.id, "Hello");
    await chat.say((await chat.start()).id, "Somebody else's words");
    await chat.call("updateSession", { params, body: { title: "Renamed" } });
    await reading;
    const added = seen.flatMap((event) => (event.type === "message.added" ? [event.message.role] : []));
    expect(added).toEqual(["user", "assistant"]);
    // A watcher is told when a reply is being written, and when it no longer is.
    const replying = seen.flatMap((event) => (event.type === "session.updated" ? [event.session.replying] : []));
    expect(replying).toEqual([true, false, false]);
    const settled = seen.findLast((event) => event.type === "message.updated");
    expect(settled?.type === "message.updated" && settled.message.status).toBe("complete");
    expect(seen.some((event) => event.type === "usage.changed" && event.usage.total > 0)).toBe(true);
  });

  it("announces new and deleted sessions to everyone", async () => {
    const stream = await chat.raw("allEvents");
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of followEvents<SessionEvent>(stream, "allEvents")) {
        seen.push(event.type);
        if (event.type === "session.deleted") return;
      }
    })();
    const session = await chat.start();
    await chat.call("deleteSession", { params: { sessionId: session.id } });
    await reading;
    expect(seen).toEqual(["open", "session.created", "session.deleted"]);
  });
});
