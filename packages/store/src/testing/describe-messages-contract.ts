import type { Part } from "@midfold/core";
import { describe, expect, it } from "vitest";
import { openStore } from "../index.ts";
import { createTalk, type Fixture, freshOwner, say, summarize, textIn } from "./test-engine.ts";

export function describeMessagesContract(fixture: () => Fixture): void {
  describe("messages", () => {
    it("keeps every kind of part, tokens and marks", async () => {
      const owner = freshOwner(fixture());
      const { id } = await owner.sessions.create();
      const parts: Part[] = [
        { type: "text", text: "look", source: { cache_control: { type: "ephemeral" } } },
        { type: "image", mediaType: "image/png", data: "aGk=" },
        { type: "reasoning", text: "hm", signature: "sig" },
        { type: "tool-call", id: "c1", name: "read", input: '{"path":"a.ts"}' },
        { type: "tool-result", callId: "c1", content: [{ type: "text", text: "done" }], isError: false },
        { type: "other", kind: "citation", value: { a: [1, 2] } },
      ];
      const [written] = await owner.messages.append(id, [
        { role: "assistant", parts, name: "bot", pinned: true, model: "gpt-4o", inputTokens: 12, outputTokens: 34 },
      ]);
      const read = await owner.messages.get(id, written!.id);
      expect(read).toEqual(written);
      expect(read).toMatchObject({ parts, name: "bot", pinned: true, inputTokens: 12, outputTokens: 34, seq: 1 });
    });

    it("numbers appends from all sides without gaps or repeats", async () => {
      const { store, url } = fixture();
      const other = await openStore({ url });
      try {
        const owner = freshOwner(fixture());
        const { id } = await owner.sessions.create();
        const twin = other.of(owner.owner);
        const written = await Promise.all(
          Array.from({ length: 40 }, (_, index) =>
            (index % 2 === 0 ? owner : twin).messages.append(id, [say(`a${index}`), say(`b${index}`)]),
          ),
        );
        for (const [first, second] of written) expect(second!.seq).toBe(first!.seq + 1);
        const all = await owner.messages.list(id, { limit: 1000 });
        expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 80 }, (_, index) => index + 1));
        expect(new Set(all.map(textIn)).size).toBe(80);
        expect(await store.check()).toEqual([]);
      } finally {
        await other.close();
      }
    });

    it("takes a repeated append for what it is", async () => {
      const owner = freshOwner(fixture());
      const { id } = await owner.sessions.create();
      const draft = { ...say("once"), id: "client-1" };
      const [first] = await owner.messages.append(id, [draft]);
      const [again, fresh] = await owner.messages.append(id, [draft, say("new")]);
      expect(again).toEqual(first);
      expect(fresh).toMatchObject({ seq: 2 });
      const racing = await Promise.all(
        Array.from({ length: 8 }, () => owner.messages.append(id, [{ ...say("x"), id: "r" }])),
      );
      expect(new Set(racing.map(([record]) => record!.seq))).toEqual(new Set([3]));
    });

    it("stores all of an append or nothing", async () => {
      const owner = freshOwner(fixture());
      const { id } = await owner.sessions.create();
      const same = { ...say("x"), id: "same" };
      await expect(owner.messages.append(id, [same, same])).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
      expect(await owner.messages.list(id)).toEqual([]);
      expect((await owner.sessions.get(id)).lastSeq).toBe(0);
    });

    it.each([
      [{ role: "robot", parts: [] }, "role"],
      [{ role: "user", parts: "text" }, "parts"],
      [{ role: "user", parts: [], inputTokens: -1 }, "inputTokens"],
      [{ role: "user", parts: [], status: "done" }, "status"],
    ])("refuses %j", async (draft, field) => {
      const owner = freshOwner(fixture());
      const { id } = await owner.sessions.create();
      await expect(owner.messages.append(id, [draft as never])).rejects.toMatchObject({
        code: "VALIDATION_ERROR",
        details: { position: 0, field },
      });
    });

    it("lists both ways, within bounds of sequence", async () => {
      const owner = freshOwner(fixture());
      const { id } = await owner.sessions.create();
      await owner.messages.append(
        id,
        [100, 200, 300, 400].map((createdAt) => ({ ...say(`at ${createdAt}`), createdAt })),
      );
      const seqs = async (options: object) => (await owner.messages.list(id, options)).map(({ seq }) => seq);
      expect(await seqs({ after: 1, before: 4 })).toEqual([2, 3]);
      expect(await seqs({ newestFirst: true, limit: 2 })).toEqual([4, 3]);
    });

    it("ends a streamed reply once, without touching the epoch", async () => {
      const owner = freshOwner(fixture());
      const { id, epoch } = await owner.sessions.create();
      const [reply] = await owner.messages.append(id, [{ role: "assistant", parts: [], status: "streaming" }]);
      expect((await owner.context.read(id)).messages).toEqual([]);
      const ended = await owner.messages.finish(id, reply!.id, {
        status: "interrupted",
        parts: [{ type: "text", text: "half an ans" }],
        outputTokens: 3,
      });
      expect(ended).toMatchObject({ status: "interrupted", outputTokens: 3, seq: 1 });
      expect((await owner.context.read(id)).messages.map(textIn)).toEqual(["half an ans"]);
      expect((await owner.messages.search("half")).count).toBe(1);
      expect((await owner.sessions.get(id)).epoch).toBe(epoch);
      await expect(owner.messages.finish(id, reply!.id, { status: "complete", parts: [] })).rejects.toMatchObject({
        code: "VERSION_CONFLICT",
      });
    });

    it("puts the earlier summary back in force when a covered message is edited", async () => {
      const owner = freshOwner(fixture());
      const { session, messages } = await createTalk(owner, 8);
      await summarize(owner, session.id, 2, "two");
      await summarize(owner, session.id, 6, "six");
      const edited = await owner.messages.edit(session.id, messages[3]!.id, {
        parts: [{ type: "text", text: "rewritten" }],
      });
      expect(edited).toMatchObject({ seq: 4, isSummarized: false });
      const { summary, messages: rest } = await owner.context.read(session.id);
      expect(summary?.content.summaryText).toBe("two");
      expect(rest.map(textIn)).toContain("rewritten");
      expect((await owner.snapshots.summaries(session.id)).map(({ state }) => state)).toEqual(["void", "active"]);
      expect((await owner.messages.search("rewritten")).count).toBe(1);
      expect((await owner.messages.search('"message 4"')).count).toBe(0);
    });

    it("leaves the summary alone when the edit is after it, or only pins", async () => {
      const owner = freshOwner(fixture());
      const { session, messages } = await createTalk(owner, 4);
      const summary = await summarize(owner, session.id, 2);
      await owner.messages.edit(session.id, messages[3]!.id, { parts: [{ type: "text", text: "later" }] });
      await owner.messages.edit(session.id, messages[0]!.id, { pinned: true });
      expect((await owner.snapshots.activeSummary(session.id))?.id).toBe(summary.id);
    });

    it("stores counts and adds them up", async () => {
      const owner = freshOwner(fixture());
      const session = await owner.sessions.create();
      await owner.messages.append(session.id, [
        { ...say("one"), inputTokens: 10 },
        { ...say("two"), inputTokens: 20, outputTokens: 5 },
        say("three"),
      ]);
      await summarize(owner, session.id, 1);
      expect(await owner.messages.totals(session.id)).toEqual({
        messages: 3,
        summarized: 1,
        inputTokens: 30,
        outputTokens: 5,
      });
    });
  });
}
