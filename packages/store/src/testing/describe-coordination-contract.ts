import { describe, expect, it } from "vitest";
import { foldLease, openStore, type StoreEvent } from "../index.ts";
import { createTalk, type Fixture, freshOwner, say, summarize } from "./test-engine.ts";

/** Far longer than anything takes, so that only what never comes is given up. */
const until = async (condition: () => boolean | Promise<boolean>) => {
  for (let turn = 0; turn < 12_000; turn++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("it never happened");
};

export function describeCoordinationContract(fixture: () => Fixture): void {
  describe("leases", () => {
    it("have one holder at a time, and a token that only grows", async () => {
      const { leases } = freshOwner(fixture());
      const all = await Promise.all(Array.from({ length: 16 }, () => leases.acquire("x")));
      const [first, ...others] = all.filter((lease) => lease !== undefined);
      expect(others).toEqual([]);
      expect(await leases.renew(first!)).toBe(true);
      await leases.release(first!);
      const second = await leases.acquire("x");
      expect(second!.token).toBeGreaterThan(first!.token);
      expect(await leases.renew(first!)).toBe(false);
      await leases.release(first!);
      expect(await leases.acquire("x")).toBeUndefined();
      expect(await leases.acquire("y")).toBeDefined();
    });

    it("pass on when the holder dies", async () => {
      const { leases } = freshOwner(fixture());
      await leases.acquire("held");
      expect(await leases.acquire("held")).toBeUndefined();
      await leases.acquire("x", { ttlMs: 30 });
      expect(await leases.acquire("x", { waitMs: 60_000 })).toMatchObject({ token: 2 });
    });

    it("make one of 32 do the work while the others wait for it, across stores", async () => {
      const other = await openStore({ url: fixture().url });
      try {
        const owner = freshOwner(fixture());
        const twin = other.of(owner.owner);
        const { session } = await createTalk(owner, 10);
        let summaries = 0;
        const outcomes = await Promise.all(
          Array.from({ length: 32 }, async (_, index) => {
            const mine = index % 2 === 0 ? owner : twin;
            await mine.messages.append(session.id, [say(`racer ${index}`)]);
            return mine.leases.runExclusive(foldLease(session.id), { waitMs: 30_000 }, async () => {
              // Someone who comes after the work was done gets the lease too, so `work` must check first.
              if ((await mine.context.read(session.id)).summary !== undefined) return;
              summaries++;
              await new Promise((resolve) => setTimeout(resolve, 100));
              await summarize(mine, session.id, 10);
            });
          }),
        );
        expect(summaries).toBe(1);
        expect(outcomes.every((outcome) => outcome.ran || outcome.finished)).toBe(true);
        expect(await owner.messages.totals(session.id)).toMatchObject({ messages: 42, summarized: 10 });
        expect((await owner.context.read(session.id)).messages).toHaveLength(32);
      } finally {
        await other.close();
      }
    });

    it("stay given back when a renewal arrives late", async () => {
      const { leases } = freshOwner(fixture());
      const lease = await leases.acquire("x");
      if (lease === undefined) throw new Error("The lease is free.");
      await leases.release(lease);
      expect(await leases.renew(lease)).toBe(false);
      expect(await leases.acquire("x")).toMatchObject({ name: "x", token: lease.token + 1 });
    });

    it("are given back when the work fails, and told when they are lost", async () => {
      const { leases } = freshOwner(fixture());
      await expect(
        leases.runExclusive("x", {}, async () => {
          throw new Error("no luck");
        }),
      ).rejects.toThrow("no luck");
      const outcome = await leases.runExclusive("x", { ttlMs: 60 }, async (lease, signal) => {
        // As if this process had slept past its lease and another had come.
        await leases.release(lease);
        await leases.acquire("x");
        await until(() => signal.aborted);
        return "told";
      });
      expect(outcome).toEqual({ ran: true, result: "told" });
    });

    it("stop waiting when the time is up or the caller leaves", async () => {
      const { leases } = freshOwner(fixture());
      await leases.acquire("x");
      const never = async () => "ran";
      expect(await leases.runExclusive("x", { waitMs: 30 }, never)).toEqual({ ran: false, finished: false });
      const leaving = AbortSignal.timeout(20);
      await expect(leases.acquire("x", { waitMs: 10_000, signal: leaving })).rejects.toThrow();
    });
  });

  describe("events", () => {
    it("reach every subscriber of the owner, small or large, in order, and no one else", async () => {
      const owner = freshOwner(fixture());
      const stranger = freshOwner(fixture());
      const heard: StoreEvent[] = [];
      const overheard: StoreEvent[] = [];
      const stop = await owner.events.subscribe((event) => heard.push(event));
      const stopToo = await stranger.events.subscribe((event) => overheard.push(event));
      await owner.events.publish({ type: "fold-start", sessionId: "s", data: { messages: 3 } });
      await owner.events.publish({ type: "message-delta", data: "漢".repeat(20_000) });
      await owner.events.publish({ type: "fold-end" });
      await until(() => heard.length === 3);
      expect(heard.map(({ type }) => type)).toEqual(["fold-start", "message-delta", "fold-end"]);
      expect(heard[0]).toEqual({ type: "fold-start", sessionId: "s", data: { messages: 3 } });
      expect(heard[1]?.data).toBe("漢".repeat(20_000));
      stop();
      stopToo();
      await owner.events.publish({ type: "unheard" });
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(heard).toHaveLength(3);
      expect(overheard).toEqual([]);
    });
  });

  describe("jobs", () => {
    it("run once per key, and are tried again", async () => {
      const { jobs } = fixture().store;
      const done: unknown[] = [];
      let attempts = 0;
      expect(await jobs.enqueue("fold", { owner: "o", n: 1 }, { singletonKey: "s1" })).toBeDefined();
      expect(await jobs.enqueue("fold", { owner: "o", n: 2 }, { singletonKey: "s1" })).toBeUndefined();
      expect(await jobs.enqueue("fold", { owner: "o", n: 3 }, { singletonKey: "s2" })).toBeDefined();
      await jobs.enqueue("fold", { owner: "o", n: 4 });
      await jobs.work<{ n: number }>("fold", async ({ payload }) => {
        done.push(payload.n);
      });
      await jobs.work("poison", async () => {
        attempts++;
        throw new Error("always");
      });
      await jobs.enqueue("poison", {}, { retries: 1 });
      await until(() => done.length === 3);
      expect(done.sort()).toEqual([1, 3, 4]);
      await until(() => attempts === 2);
      expect(await jobs.enqueue("fold", { n: 5 }, { singletonKey: "s1" })).toBeDefined();
      await until(() => done.length === 4);
    });
  });
}
