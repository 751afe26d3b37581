import { recordOf as foldOf } from "@midfold/core/summaries";
import { describe, expect, it } from "vitest";
import { foldLease } from "../coordination/leases.ts";
import type { OwnerStore } from "../store.ts";
import { createTalk, type Fixture, freshOwner, say, summarize, summaryOf, textIn } from "./test-engine.ts";

export function describeSnapshotsContract(fixture: () => Fixture): void {
  /** A summary of the first messages, made from what the session is now, not published yet. */
  async function prepare(owner: OwnerStore, sessionId: string, upTo: number) {
    const { session, summary } = await owner.context.read(sessionId);
    const covered = (await owner.messages.list(sessionId)).slice(0, upTo);
    return { content: summaryOf(covered), epoch: session.epoch, previousId: summary?.id };
  }

  describe("summaries", () => {
    it("stores every field of a snapshot, and the rest beside it", async () => {
      const owner = freshOwner(fixture());
      const { session, messages } = await createTalk(owner, 5);
      const content = summaryOf(messages.slice(0, 3));
      const outcome = await owner.snapshots.publishSummary(session.id, {
        content: { ...content, surprise: true } as typeof content,
        extra: { model: "gpt-4o-mini", ledger: ["a.ts"], lossReport: [] },
        epoch: session.epoch,
        previousId: undefined,
      });
      expect(outcome).toMatchObject({ published: true, epoch: session.epoch + 1 });
      const stored = await owner.snapshots.activeSummary(session.id);
      expect(stored).toMatchObject({
        kind: "summary",
        state: "active",
        version: 1,
        parentId: undefined,
        extra: { model: "gpt-4o-mini", ledger: ["a.ts"], lossReport: [] },
        messageCutoffId: messages[2]!.id,
        cutoffSeq: 3,
        tokenCount: 2_000,
      });
      expect(stored?.content).toEqual(content);
      expect(Object.keys(stored!.content)).toEqual(Object.keys(content));
    });

    it("is a fold: its record comes back to the letter, in a branch and after an undo too", async () => {
      const owner = freshOwner(fixture());
      const { session, messages } = await createTalk(owner, 6);
      const made = foldOf({ text: "six messages", covers: 6, tokens: { before: 60, after: 20 } });
      const fold = { ...made, id: "a-6", prefix: "a", model: "gpt-4o-mini" };
      const { epoch } = await owner.sessions.get(session.id);
      const draft = { content: summaryOf(messages), fold, epoch, previousId: undefined };
      expect(await owner.snapshots.publishSummary(session.id, draft)).toMatchObject({ published: true });
      expect((await owner.context.read(session.id)).summary?.fold).toEqual(fold);
      const branch = await owner.sessions.branch(session.id, {});
      expect((await owner.snapshots.activeSummary(branch.id))?.fold).toEqual(fold);
      await owner.messages.append(session.id, [say("one more")]);
      await summarize(owner, session.id, 7, "seven");
      const { undone, restored } = await owner.snapshots.undoSummary(session.id);
      expect([undone.fold.texts, restored?.fold]).toEqual([["seven"], fold]);
      expect(await owner.snapshots.summary(session.id, restored!.id)).toMatchObject({ fold });
    });

    it("keeps what is appended while it is made, after it", async () => {
      const owner = freshOwner(fixture());
      const { session } = await createTalk(owner, 4);
      const draft = await prepare(owner, session.id, 4);
      await owner.messages.append(session.id, [say("meanwhile")]);
      expect(await owner.snapshots.publishSummary(session.id, draft)).toMatchObject({ published: true });
      expect((await owner.context.read(session.id)).messages.map(textIn)).toEqual(["meanwhile"]);
    });

    it.each<[string, (owner: OwnerStore, id: string, first: string) => Promise<unknown>, string]>([
      ["an edit", (owner, id, first) => owner.messages.edit(id, first, { parts: [] }), "session-changed"],
      ["a branch", (owner, id) => owner.sessions.branch(id), "session-changed"],
      ["another summary", (owner, id) => summarize(owner, id, 2), "summary-replaced"],
      ["a deletion", (owner, id) => owner.sessions.remove(id), "session-gone"],
    ])("is void after %s", async (_name, change, reason) => {
      const owner = freshOwner(fixture());
      const { session, messages } = await createTalk(owner, 4);
      const draft = await prepare(owner, session.id, 3);
      await change(owner, session.id, messages[0]!.id);
      expect(await owner.snapshots.publishSummary(session.id, draft)).toEqual({ published: false, reason });
      expect(await fixture().store.check()).toEqual([]);
    });

    it("is void after an undo", async () => {
      const owner = freshOwner(fixture());
      const { session } = await createTalk(owner, 6);
      await summarize(owner, session.id, 2);
      const draft = await prepare(owner, session.id, 4);
      await owner.snapshots.undoSummary(session.id);
      expect(await owner.snapshots.publishSummary(session.id, draft)).toMatchObject({ published: false });
    });

    it("refuses a cutoff that is unknown, behind, or beyond a reply still being written", async () => {
      const owner = freshOwner(fixture());
      const { session, messages } = await createTalk(owner, 4);
      await summarize(owner, session.id, 3);
      const draft = await prepare(owner, session.id, 2);
      const publish = (content: typeof draft.content) =>
        owner.snapshots.publishSummary(session.id, { ...draft, content });
      expect(await publish(draft.content)).toEqual({ published: false, reason: "cutoff-behind" });
      const unknown = { firstMessageId: messages[0]!.id, lastMessageId: "nowhere" };
      expect(await publish({ ...draft.content, messageRange: unknown })).toMatchObject({ reason: "cutoff-gone" });
      const [reply] = await owner.messages.append(session.id, [{ role: "assistant", parts: [], status: "streaming" }]);
      const beyond = { firstMessageId: messages[0]!.id, lastMessageId: reply!.id };
      expect(await publish({ ...draft.content, messageRange: beyond })).toMatchObject({ reason: "reply-streaming" });
      expect((await owner.sessions.get(session.id)).epoch).toBe(draft.epoch);
    });

    it("lets one of many late results through", async () => {
      const owner = freshOwner(fixture());
      const { session } = await createTalk(owner, 6);
      const draft = await prepare(owner, session.id, 4);
      const outcomes = await Promise.all(
        Array.from({ length: 16 }, () => owner.snapshots.publishSummary(session.id, draft)),
      );
      expect(outcomes.filter(({ published }) => published)).toHaveLength(1);
      expect(await owner.snapshots.summaries(session.id)).toHaveLength(1);
    });

    it("rejects a holder whose lease was taken over", async () => {
      const owner = freshOwner(fixture());
      const { session } = await createTalk(owner, 6);
      const name = foldLease(session.id);
      const slow = await owner.leases.acquire(name, { ttlMs: 1 });
      await new Promise((resolve) => setTimeout(resolve, 10));
      const quick = await owner.leases.acquire(name);
      expect(quick!.token).toBeGreaterThan(slow!.token);
      const draft = await prepare(owner, session.id, 4);
      expect(await owner.snapshots.publishSummary(session.id, { ...draft, fence: slow! })).toEqual({
        published: false,
        reason: "lease-lost",
      });
      expect(await owner.snapshots.publishSummary(session.id, { ...draft, fence: quick! })).toMatchObject({
        published: true,
      });
    });

    it("goes back exactly, version by version", async () => {
      const owner = freshOwner(fixture());
      const { session } = await createTalk(owner, 8);
      const before = await owner.context.read(session.id);
      const first = await summarize(owner, session.id, 2, "one");
      const between = await owner.context.read(session.id);
      const second = await summarize(owner, session.id, 6, "two");
      expect(second).toMatchObject({ parentId: first.id, version: 2 });

      const undone = await owner.snapshots.undoSummary(session.id);
      expect(undone).toMatchObject({ undone: { id: second.id, state: "undone" }, restored: { id: first.id } });
      const restored = await owner.context.read(session.id);
      expect(restored.summary).toEqual(between.summary);
      expect(restored.messages).toEqual(between.messages);

      await owner.snapshots.undoSummary(session.id);
      const original = await owner.context.read(session.id);
      expect(original.summary).toBeUndefined();
      expect(original.messages).toEqual(before.messages);
      await expect(owner.snapshots.undoSummary(session.id)).rejects.toMatchObject({ code: "NOT_FOUND" });

      await summarize(owner, session.id, 4, "three");
      const versions = await owner.snapshots.summaries(session.id);
      expect(versions.map(({ version, state }) => [version, state])).toEqual([
        [3, "active"],
        [2, "undone"],
        [1, "undone"],
      ]);
      expect(await fixture().store.check()).toEqual([]);
    });

    it("says which messages a summary covers, and never rewrites an original", async () => {
      const owner = freshOwner(fixture());
      const { session, messages } = await createTalk(owner, 6);
      await summarize(owner, session.id, 4);
      const listed = await owner.messages.list(session.id);
      expect(listed.map(({ isSummarized }) => isSummarized)).toEqual([true, true, true, true, false, false]);
      expect(listed.map(({ isSummarized: _, ...rest }) => rest)).toEqual(
        messages.map(({ isSummarized: _, ...rest }) => rest),
      );
    });
  });
}
