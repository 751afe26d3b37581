import { describe, expect, it } from "vitest";
import { createTalk, type Fixture, freshOwner, say, summarize } from "./test-engine.ts";

export function describeIsolationContract(fixture: () => Fixture): void {
  describe("tenants", () => {
    it("cannot be left out", () => {
      const { store } = fixture();
      for (const owner of ["", undefined, null, 7, "a\0b", "\ud800"]) {
        expect(() => store.of(owner as string)).toThrow(/owner/);
      }
    });

    it("never see, change or find each other's data, and cannot tell that it exists", async () => {
      const alice = freshOwner(fixture());
      const mallory = freshOwner(fixture());
      const { session, messages } = await createTalk(alice, 6);
      const summary = await summarize(alice, session.id, 3);
      await alice.folds.put({ prefix: "hash", covered: 3, record: { text: "alice's" } });
      await alice.limits.put({ upstream: "u", model: "m", contextWindow: 1, maxOutputTokens: 1, evidence: "e" });
      await alice.calibrations.put({ model: "m", counter: "c", ratio: 2, samples: 1 });
      await alice.settings.set({ kind: "global" }, { threshold: 0.1 });
      await alice.contextStates.put("c", { strategy: "s", summary: "x", summaryRange: [0, 1], compressedAt: 1 });
      const { key } = await alice.keys.create({ name: "k" });
      const lease = await alice.leases.acquire("l");
      const before = await alice.context.read(session.id);
      const id = messages[0]!.id;

      const refused = [
        () => mallory.sessions.get(session.id),
        () => mallory.sessions.update(session.id, { title: "mine now" }),
        () => mallory.sessions.remove(session.id),
        () => mallory.sessions.branch(session.id),
        () => mallory.messages.append(session.id, [say("x")]),
        () => mallory.messages.get(session.id, id),
        () => mallory.messages.list(session.id),
        () => mallory.messages.edit(session.id, id, { parts: [] }),
        () => mallory.messages.finish(session.id, id, { status: "complete", parts: [] }),
        () => mallory.messages.totals(session.id),
        () => mallory.context.read(session.id),
        () => mallory.snapshots.summary(session.id, summary.id),
        () => mallory.snapshots.undoSummary(session.id),
        () => mallory.settings.set({ kind: "session", sessionId: session.id }, { a: 1 }),
        () => mallory.keys.revoke(key.id),
      ];
      for (const call of refused) await expect(call()).rejects.toMatchObject({ code: "NOT_FOUND" });

      const outcome = await mallory.snapshots.publishSummary(session.id, {
        content: summary.content,
        epoch: before.session.epoch,
        previousId: summary.id,
      });
      expect(outcome).toEqual({ published: false, reason: "session-gone" });
      expect((await mallory.sessions.list()).items).toEqual([]);
      expect(await mallory.snapshots.summaries(session.id)).toEqual([]);
      expect(await mallory.snapshots.activeSummary(session.id)).toBeUndefined();
      expect(await mallory.messages.search("message")).toMatchObject({ items: [], count: 0 });
      expect(await mallory.messages.search("message", { sessionId: session.id })).toMatchObject({ count: 0 });
      expect(await mallory.folds.find(["hash"])).toBeUndefined();
      expect(await mallory.limits.list()).toEqual([]);
      expect(await mallory.calibrations.list()).toEqual([]);
      expect(await mallory.settings.resolve({ sessionId: session.id })).toEqual({});
      expect(await mallory.contextStates.get("c")).toBeUndefined();
      expect(await mallory.keys.list()).toEqual([]);
      expect(await mallory.leases.renew(lease!)).toBe(false);
      await mallory.contextStates.clear("c");
      await mallory.leases.release(lease!);

      expect(await alice.context.read(session.id)).toEqual(before);
      expect(await alice.folds.find(["hash"])).toBeDefined();
      expect(await alice.contextStates.get("c")).toBeDefined();
      expect(await alice.leases.acquire("l")).toBeUndefined();
    });

    it("may use the same ids", async () => {
      const [one, two] = [freshOwner(fixture()), freshOwner(fixture())];
      for (const owner of [one, two]) {
        await owner.sessions.create({ id: "same", title: owner.owner });
        await owner.messages.append("same", [{ ...say(owner.owner), id: "m" }]);
      }
      await one.sessions.remove("same");
      expect((await two.sessions.get("same")).title).toBe(two.owner);
      expect((await two.messages.search(two.owner.slice(6, 14))).count).toBe(1);
    });
  });
}
