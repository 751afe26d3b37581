import { describe, expect, it } from "vitest";
import { createTalk, type Fixture, freshOwner, say, summarize, textIn } from "./test-engine.ts";

export function describeSessionsContract(fixture: () => Fixture): void {
  describe("sessions", () => {
    it("gives back what was created, with the database's times", async () => {
      const owner = freshOwner(fixture());
      const created = await owner.sessions.create({
        title: "Plans",
        model: "gpt-4o",
        systemPrompt: "Be brief.",
        metadata: { provider: "openai", nested: { list: [1, null, "x"] } },
      });
      expect(created).toMatchObject({ title: "Plans", model: "gpt-4o", version: 1, lastSeq: 0, parent: undefined });
      expect(created.createdAt).toBeGreaterThan(1_600_000_000_000);
      expect(await owner.sessions.get(created.id)).toEqual(created);
    });

    it("refuses an id that is taken", async () => {
      const owner = freshOwner(fixture());
      await owner.sessions.create({ id: "mine" });
      await expect(owner.sessions.create({ id: "mine" })).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
    });

    it("changes what the patch names and clears with null", async () => {
      const owner = freshOwner(fixture());
      const { id } = await owner.sessions.create({ title: "old", model: "gpt-4o", systemPrompt: "Be brief." });
      const changed = await owner.sessions.update(id, { title: "new", model: null });
      expect(changed).toMatchObject({ title: "new", model: undefined, systemPrompt: "Be brief.", version: 2 });
    });

    it("detects a lost update by version", async () => {
      const owner = freshOwner(fixture());
      const { id, version } = await owner.sessions.create();
      await owner.sessions.update(id, { title: "first" }, version);
      await expect(owner.sessions.update(id, { title: "second" }, version)).rejects.toMatchObject({
        code: "VERSION_CONFLICT",
      });
      expect(await owner.sessions.get(id)).toMatchObject({ title: "first", version: 2 });
    });

    it("lists by last change, page by page, without gaps or repeats", async () => {
      const owner = freshOwner(fixture());
      const ids: string[] = [];
      for (let index = 0; index < 7; index++) ids.push((await owner.sessions.create({ title: `${index}` })).id);
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await owner.sessions.list({ limit: 3, ...(after === undefined ? {} : { after }) });
        seen.push(...page.items.map(({ id }) => id));
        after = page.next;
      } while (after !== undefined);
      expect([...seen].sort()).toEqual([...ids].sort());
      expect(seen).toHaveLength(7);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await owner.messages.append(ids[0]!, [say("hello")]);
      expect((await owner.sessions.list({ limit: 1 })).items[0]?.id).toBe(ids[0]);
    });

    it.each([{ limit: 0 }, { limit: 1.5 }, { after: "nonsense" }])("refuses the list options %j", async (options) => {
      await expect(freshOwner(fixture()).sessions.list(options)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    });

    it("removes a session with everything that belongs to it", async () => {
      const owner = freshOwner(fixture());
      const { session } = await createTalk(owner, 6);
      await summarize(owner, session.id, 3);
      await owner.settings.set({ kind: "session", sessionId: session.id }, { threshold: 0.5 });
      await owner.contextStates.put(session.id, {
        strategy: "sandwich",
        summary: "s",
        summaryRange: [5, 9],
        compressedAt: 1,
      });
      await owner.sessions.remove(session.id);
      await expect(owner.sessions.get(session.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
      await expect(owner.messages.list(session.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
      expect(await owner.snapshots.summaries(session.id)).toEqual([]);
      expect(await owner.contextStates.get(session.id)).toBeUndefined();
      expect(await owner.settings.list()).toEqual([]);
      expect((await owner.messages.search("message")).count).toBe(0);
    });

    it("does not find what is not there", async () => {
      const owner = freshOwner(fixture());
      for (const call of [
        () => owner.sessions.get("none"),
        () => owner.sessions.update("none", { title: "x" }),
        () => owner.sessions.remove("none"),
        () => owner.sessions.branch("none"),
        () => owner.messages.append("none", [say("x")]),
        () => owner.context.read("none"),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: "NOT_FOUND" });
      }
    });
  });

  describe("branches", () => {
    it("copies messages, the summary that fits, and settings, and then goes its own way", async () => {
      const owner = freshOwner(fixture());
      const { session, messages } = await createTalk(owner, 10);
      await summarize(owner, session.id, 3, "first three");
      await summarize(owner, session.id, 8, "first eight");
      await owner.settings.set({ kind: "session", sessionId: session.id }, { threshold: 0.5 });

      const branch = await owner.sessions.branch(session.id, { upTo: messages[5]!.id, title: "a branch" });
      expect(branch).toMatchObject({
        title: "a branch",
        lastSeq: 6,
        parent: { sessionId: session.id, messageId: messages[5]!.id },
      });
      const context = await owner.context.read(branch.id);
      expect(context.summary?.content.summaryText).toBe("first three");
      expect(context.summary?.content.messageRange.lastMessageId).toBe(messages[2]!.id);
      expect(context.messages.map(textIn)).toEqual(["message 4", "message 5", "message 6"]);
      expect(await owner.settings.get({ kind: "session", sessionId: branch.id })).toEqual({ threshold: 0.5 });

      await owner.messages.append(branch.id, [say("only in the branch")]);
      await owner.sessions.remove(session.id);
      expect((await owner.messages.list(branch.id)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect((await owner.messages.search("message")).count).toBe(6);
      expect(await fixture().store.check()).toEqual([]);
    });

    it("copies everything unless told otherwise, with the summary in force", async () => {
      const owner = freshOwner(fixture());
      const { session } = await createTalk(owner, 4);
      await summarize(owner, session.id, 2);
      const branch = await owner.sessions.branch(session.id);
      expect((await owner.context.read(branch.id)).messages.map(textIn)).toEqual(["message 3", "message 4"]);
      expect((await owner.snapshots.summaries(branch.id)).map(({ state }) => state)).toEqual(["active"]);
    });

    it("can be undone on its own", async () => {
      const owner = freshOwner(fixture());
      const { session } = await createTalk(owner, 6);
      await summarize(owner, session.id, 2);
      await summarize(owner, session.id, 4);
      const branch = await owner.sessions.branch(session.id);
      await owner.snapshots.undoSummary(branch.id);
      expect((await owner.context.read(branch.id)).messages).toHaveLength(4);
      expect((await owner.context.read(session.id)).messages).toHaveLength(2);
    });

    it("branches an empty session", async () => {
      const owner = freshOwner(fixture());
      const { id } = await owner.sessions.create();
      const branch = await owner.sessions.branch(id);
      expect(branch.parent).toEqual({ sessionId: id, messageId: undefined });
    });
  });
}
