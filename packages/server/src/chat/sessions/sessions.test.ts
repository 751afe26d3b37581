import { describe, expect, it } from "vitest";
import { find, useHarness } from "../chat-harness.test-data.ts";

describe("sessions and turns", () => {
  const chat = useHarness({ config: { modelTitles: false } });

  it("creates, reads, renames, lists and deletes a session", async () => {
    const session = await chat.call("createSession", { body: { system: "Be brief." } });
    expect(session).toMatchObject({ title: "New conversation", model: "gpt-4o", system: "Be brief.", messageCount: 0 });
    const params = { sessionId: session.id };
    const renamed = await chat.call("updateSession", { params, body: { title: "Garden", version: session.version } });
    expect(renamed.title).toBe("Garden");
    const stale = chat.call("updateSession", { params, body: { title: "Fence", version: session.version } });
    await expect(stale).rejects.toMatchObject({ problem: { status: 409, code: "VERSION_CONFLICT" } });
    expect((await chat.call("listSessions")).sessions.map(({ id }) => id)).toContain(session.id);
    await chat.call("deleteSession", { params });
    await expect(chat.call("getSession", { params })).rejects.toMatchObject({
      problem: { status: 404, code: "NOT_FOUND" },
    });
  });

  it("streams a reply, stores both messages with their counts, and names the session", async () => {
    const session = await chat.call("createSession", { body: {} });
    const events = await chat.say(session.id, "How do I prune roses?");
    expect(events.map(({ type }) => type).filter((type) => type !== "reply.text")).toEqual([
      "turn.start",
      "usage.changed",
      "reply.start",
      "reply.end",
      "turn.end",
    ]);
    const streamed = events.map((event) => (event.type === "reply.text" ? event.text : "")).join("");
    const { messages } = await chat.call("listMessages", { params: { sessionId: session.id } });
    expect(messages.map(({ role, text, status }) => [role, text, status])).toEqual([
      ["user", "How do I prune roses?", "complete"],
      ["assistant", streamed, "complete"],
    ]);
    expect(messages[0]?.inputTokens).toBeGreaterThan(4);
    expect(messages[1]?.outputTokens).toBeGreaterThan(4);
    expect((await chat.call("getSession", { params: { sessionId: session.id } })).title).toBe("How do I prune roses?");
  });

  it("answers with one JSON document when no stream is wanted", async () => {
    const session = await chat.start();
    const turn = await chat.call("sendMessage", {
      params: { sessionId: session.id },
      body: { text: "Hi", stream: false },
    });
    expect(turn).toMatchObject({ reply: { role: "assistant", status: "complete" }, userMessage: { text: "Hi" } });
  });

  it("stores a message sent twice under one key once, and answers with the stored reply", async () => {
    const session = await chat.start();
    const first = await chat.say(session.id, "Once", { key: "abc" });
    const before = chat.upstream.counts.requests;
    const second = await chat.say(session.id, "Once", { key: "abc" });
    expect(chat.upstream.counts.requests).toBe(before);
    expect(find(second, "reply.end")?.message).toEqual(find(first, "reply.end")?.message);
    expect((await chat.call("listMessages", { params: { sessionId: session.id } })).total).toBe(2);
  });

  it("keeps one owner's sessions out of another's sight", async () => {
    const session = await chat.start();
    const foreign = chat.call("getSession", { params: { sessionId: session.id }, owner: "someone" });
    await expect(foreign).rejects.toMatchObject({ problem: { code: "NOT_FOUND" } });
    const said = chat.call("sendMessage", {
      params: { sessionId: session.id },
      body: { text: "x", stream: false },
      owner: "someone",
    });
    await expect(said).rejects.toMatchObject({ problem: { code: "NOT_FOUND" } });
  });

  it("retries the last question: the old reply is hidden, not deleted, and not sent", async () => {
    const session = await chat.start();
    const params = { sessionId: session.id };
    const first = find(await chat.say(session.id, "Tell me a joke"), "reply.end");
    const turn = await chat.call("retryMessage", {
      params: { ...params, messageId: first?.message.id ?? "" },
      body: { stream: false },
    });
    expect(turn.reply.id).not.toBe(first?.message.id);
    const shown = await chat.call("listMessages", { params });
    expect(shown.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const all = await chat.call("listMessages", { params, query: { hidden: "true" } });
    expect(all.messages.map(({ visibility }) => visibility)).toEqual(["visible", "hidden", "visible"]);
    const sent = chat.upstream.requests.at(-1)?.body as { messages: { content: string }[] };
    expect(sent.messages).toHaveLength(1);
  });

  it("edits an earlier question into a branch and leaves the session as it was", async () => {
    const session = await chat.start({ system: "Be kind." });
    await chat.say(session.id, "first");
    const second = find(await chat.say(session.id, "second"), "turn.start");
    const turn = await chat.call("editMessage", {
      params: { sessionId: session.id, messageId: second?.userMessage.id ?? "" },
      body: { text: "second, differently", stream: false },
    });
    expect(turn.session.id).not.toBe(session.id);
    expect(turn.session.branchedFrom?.sessionId).toBe(session.id);
    const words = async (sessionId: string) =>
      (await chat.call("listMessages", { params: { sessionId } })).messages
        .filter(({ role }) => role === "user")
        .map(({ text }) => text);
    expect(await words(session.id)).toEqual(["first", "second"]);
    expect(await words(turn.session.id)).toEqual(["first", "second, differently"]);
  });

  it("refuses what is not usable with problem details that name the field", async () => {
    const response = await chat.raw("createSession", { body: { title: 7 } });
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({ code: "VALIDATION_ERROR", errors: [{ path: "body.title" }] });
    const empty = await chat.raw("sendMessage", {
      params: { sessionId: (await chat.start()).id },
      body: { text: "  " },
    });
    expect(empty.status).toBe(400);
    expect((await chat.app.request("/nothing")).status).toBe(404);
  });

  it("pins, archives and tags sessions, and finds them by it", async () => {
    const kept = await chat.start({});
    const other = await chat.start({});
    const change = (sessionId: string, body: object) => chat.call("updateSession", { params: { sessionId }, body });
    const ids = async (query: Record<string, string>) =>
      (await chat.call("listSessions", { query })).sessions
        .map(({ id }) => id)
        .filter((id) => [kept.id, other.id].includes(id));
    expect(await change(kept.id, { pinned: true, tags: ["garden", "garden", "2026"] })).toMatchObject({
      pinned: true,
      archived: false,
      tags: ["garden", "2026"],
    });
    expect(await ids({ tag: "garden" })).toEqual([kept.id]);
    expect(await ids({ pinned: "true" })).toEqual([kept.id]);
    await change(other.id, { archived: true });
    expect(await ids({})).toEqual([kept.id]);
    expect(await ids({ archived: "true" })).toEqual([other.id]);
    await change(other.id, { archived: false, system: "Be brief." });
    expect(new Set(await ids({}))).toEqual(new Set([kept.id, other.id]));
    expect((await chat.raw("updateSession", { params: { sessionId: kept.id }, body: { tags: [""] } })).status).toBe(
      400,
    );
  });
});
