import type { Store } from "@midfold/store";
import { describe, expect, it, vi } from "vitest";
import { createKeyFinder } from "./find-key.ts";
import type { Identity, KnownKey } from "./identity.ts";
import { createFeedLimiter } from "./limit-feeds.ts";
import { createKeyLimiter } from "./limit-key.ts";
import { createWrongKeyLimiter } from "./limit-wrong-keys.ts";
import { createLoadLimiter } from "./load-limits.ts";
import { watchRevocations } from "./watch-revocations.ts";

const key: KnownKey = { id: "key_1", name: "laptop", tenant: "anna", admin: false, limits: {} };
const refused = (code: string, message: string | RegExp = /./) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe("streams of events", () => {
  const who = (keyId: string, limitedAs?: string) => ({ tenant: "t", keyId, limitedAs }) as Identity;

  it("are limited for each key and for all, and have room again when one is over", () => {
    const feeds = createFeedLimiter({ perKey: 2, most: 3 });
    const enter = (identity: Identity | undefined) => feeds.enter(identity, new AbortController());
    const leave = enter(who("a"));
    enter(who("b", "a"));
    expect(() => enter(who("a"))).toThrow(
      expect.objectContaining({
        code: "RATE_LIMITED",
        message: "There may be 2 event streams at once. Close some.",
        details: { retryAfterSeconds: 5 },
      }),
    );
    enter({ tenant: "c" } as Identity);
    expect(() => enter(undefined)).toThrow(refused("RATE_LIMITED"));
    leave();
    expect(enter(who("a"))).toBeTypeOf("function");
  });

  it("end with the server", () => {
    const feeds = createFeedLimiter({ perKey: 5, most: 5 });
    const [one, two, gone] = [new AbortController(), new AbortController(), new AbortController()];
    feeds.enter(who("a"), one);
    feeds.enter(undefined, two);
    feeds.enter(who("b"), gone)();
    feeds.endAll("closing");
    expect([one.signal.reason, two.signal.reason, gone.signal.aborted]).toEqual(["closing", "closing", false]);
  });
});

describe("a key that is revoked while its request runs", () => {
  const inFakeTime = async (work: () => Promise<void>) => {
    vi.useFakeTimers();
    try {
      await work();
    } finally {
      vi.useRealTimers();
    }
  };

  it("ends all its requests, and no other's", () =>
    inFakeTime(async () => {
      const known = new Set(["a", "b"]);
      const asked: string[] = [];
      const watch = watchRevocations(async (hash) => {
        asked.push(hash);
        return known.has(hash) ? key : undefined;
      }, 100);
      const [one, two, other] = [new AbortController(), new AbortController(), new AbortController()];
      watch.add("a", one);
      watch.add("a", two);
      watch.add("b", other);
      await vi.advanceTimersByTimeAsync(100);
      expect(asked).toEqual(["a", "b"]);
      expect(one.signal.aborted).toBe(false);
      known.delete("a");
      await vi.advanceTimersByTimeAsync(100);
      expect(one.signal.reason).toEqual(refused("UNAUTHORIZED", "The key was revoked."));
      expect([two.signal.aborted, other.signal.aborted]).toEqual([true, false]);
      watch.stop();
      await vi.advanceTimersByTimeAsync(500);
      expect(asked).toHaveLength(4);
    }));

  it("is not looked for when nothing runs, and not taken for revoked while the store is away", () =>
    inFakeTime(async () => {
      let asked = 0;
      const watch = watchRevocations(async () => {
        asked++;
        throw new Error("away");
      }, 100);
      const controller = new AbortController();
      const end = watch.add("a", controller);
      const endTwin = watch.add("a", new AbortController());
      await vi.advanceTimersByTimeAsync(100);
      expect([asked, controller.signal.aborted]).toEqual([1, false]);
      end();
      await vi.advanceTimersByTimeAsync(100);
      expect(asked).toBe(2);
      endTwin();
      await vi.advanceTimersByTimeAsync(1000);
      expect(asked).toBe(2);
      watch.add("b", controller);
      await vi.advanceTimersByTimeAsync(100);
      expect(asked).toBe(3);
      watch.stop();
    }));
});

describe("where keys are found", () => {
  const stored = {
    id: "key_9",
    name: "phone",
    owner: "ben",
    limits: { admin: true, requestsPerMinute: 5, tokensPerMinute: 0, concurrentRequests: "many" },
    ancestors: ["key_1", "key_0"],
  };
  const storeOf = (answer: unknown, touch = async () => {}) => {
    const touched: string[] = [];
    const store = {
      authenticate: async () => answer,
      of: (owner: string) => ({
        keys: {
          touch: (id: string) => {
            touched.push(`${owner}/${id}`);
            return touch();
          },
        },
      }),
    } as unknown as Store;
    return { store, touched };
  };

  it("those of the configuration first, then the store's, with the limits that mean something", async () => {
    const { store, touched } = storeOf(stored);
    const { findAnew } = createKeyFinder({ store, keys: new Map([["h", key]]), onStoreError: () => {} });
    expect(await findAnew("h")).toBe(key);
    expect(touched).toEqual([]);
    expect(await findAnew("other")).toEqual({
      id: "key_9",
      name: "phone",
      tenant: "ben",
      admin: true,
      limits: { requestsPerMinute: 5 },
      limitedAs: "key_1",
    });
    expect(touched).toEqual(["ben/key_9"]);
  });

  it("nowhere without a store, and not where the store knows none", async () => {
    const none = createKeyFinder({ store: undefined, keys: undefined, onStoreError: () => {} });
    expect(await none.findAnew("h")).toBeUndefined();
    const { store, touched } = storeOf(undefined);
    const finder = createKeyFinder({ store, keys: undefined, onStoreError: () => {} });
    expect(await finder.find("h")).toBeUndefined();
    expect(touched).toEqual([]);
  });

  it("a note of use that fails is reported, and the key is good all the same", async () => {
    const errors: unknown[] = [];
    const { store } = storeOf({ ...stored, limits: {} }, () => Promise.reject(new Error("disk")));
    const finder = createKeyFinder({ store, keys: undefined, onStoreError: (error) => errors.push(error) });
    expect(await finder.find("h")).toMatchObject({ id: "key_9", admin: false });
    await vi.waitFor(() => expect(errors).toEqual([new Error("disk")]));
    expect(await finder.find("h")).toMatchObject({ id: "key_9" });
  });
});

describe("limits of a key", () => {
  const who = (limits: Identity["limits"], more: Partial<Identity> = {}) =>
    ({ tenant: "t", keyId: "k", limits, ...more }) as Identity;

  it("requests come back evenly, up to a minute's worth", () => {
    let now = 0;
    const keys = createKeyLimiter(() => now);
    const send = () => keys.admit(who({ requestsPerMinute: 2 })).release();
    send();
    send();
    expect(send).toThrow(
      expect.objectContaining({
        code: "RATE_LIMITED",
        message: "The key may send 2 requests a minute.",
        details: { retryAfterSeconds: 30 },
      }),
    );
    now = 30_000;
    send();
    expect(send).toThrow(refused("RATE_LIMITED"));
    now = 600_000;
    send();
    send();
    expect(send).toThrow(refused("RATE_LIMITED"));
  });

  it("tokens too: a request larger than the share goes when the share is whole, and is paid for afterwards", () => {
    let now = 0;
    const keys = createKeyLimiter(() => now);
    const limits = { tokensPerMinute: 600 };
    keys.reserveTokens(who(limits), 900);
    expect(() => keys.reserveTokens(who(limits), 10)).toThrow(
      expect.objectContaining({
        message: "The key may send 600 tokens a minute.",
        details: { retryAfterSeconds: 31 },
      }),
    );
    now = 31_000;
    keys.reserveTokens(who(limits), 10);
    const admission = keys.admit(who(limits));
    admission.settleTokens(600);
    now = 91_000;
    expect(() => keys.reserveTokens(who(limits), 10)).toThrow(refused("RATE_LIMITED"));
    keys.reserveTokens(who({}), 1_000_000);
  });

  it("parallel requests end when they are released, once each", () => {
    const keys = createKeyLimiter(() => 0);
    const limits = { concurrentRequests: 2 };
    const first = keys.admit(who(limits));
    keys.admit(who(limits));
    expect(() => keys.admit(who(limits))).toThrow(
      expect.objectContaining({
        message: "The key may have 2 requests in flight at once.",
        details: { retryAfterSeconds: 1 },
      }),
    );
    first.release();
    first.release();
    keys.admit(who(limits));
    expect(() => keys.admit(who(limits))).toThrow(refused("RATE_LIMITED"));
  });

  it("are shared by the keys that a key made, and by nobody else", () => {
    const keys = createKeyLimiter(() => 0);
    const limits = { requestsPerMinute: 1 };
    keys.admit(who(limits, { keyId: "parent" }));
    expect(() => keys.admit(who(limits, { keyId: "child", limitedAs: "parent" }))).toThrow(refused("RATE_LIMITED"));
    keys.admit(who(limits, { keyId: "other" }));
    keys.admit(who(limits, { keyId: undefined, tenant: "u" }));
    keys.admit(who(limits, { keyId: undefined, tenant: "v" }));
  });
});

describe("bodies held in memory", () => {
  const limiter = () => createLoadLimiter({ maxInFlight: 2, maxBodyBytes: 100, now: () => 0 });

  it("share the room, one alone always has some, and what is released is free", () => {
    const load = limiter();
    const alone = load.holdBytes(500);
    expect(() => load.holdBytes(1)).toThrow(
      expect.objectContaining({
        code: "OVERLOADED",
        message: "The server is busy with as many bytes of requests as it can hold.",
        details: { retryAfterSeconds: 1 },
      }),
    );
    alone.release();
    alone.release();
    const one = load.holdBytes(60);
    const two = load.holdBytes(40);
    expect(() => two.upTo(41)).toThrow(refused("OVERLOADED"));
    two.upTo(10);
    one.release();
    two.upTo(100);
    expect(() => load.holdBytes(1)).toThrow(refused("OVERLOADED"));
    two.release();
    two.upTo(5_000);
    expect(load.holdBytes(100)).toBeDefined();
  });

  it("places are as many as there are, and come back once", () => {
    const load = limiter();
    const leave = load.enter();
    load.enter();
    expect(() => load.enter()).toThrow(
      expect.objectContaining({
        code: "OVERLOADED",
        message: "The server is busy with as many requests as it can take.",
      }),
    );
    leave();
    leave();
    expect(load.inFlight).toBe(1);
    const own = load.enterAs("a");
    expect(() => load.enterAs("a")).toThrow(refused("RATE_LIMITED", "The key has 1 requests in flight"));
    load.enterAs("b");
    own();
    own();
    load.enterAs("a");
  });
});

it("unknown keys are counted by the minute, and the answer says when it is over", () => {
  let now = 0;
  const wrong = createWrongKeyLimiter({ perMinute: 2, now: () => now });
  wrong.check("a");
  wrong.fail("a");
  now = 20_000;
  wrong.fail("a");
  expect(() => wrong.check("a")).toThrow(
    expect.objectContaining({
      code: "RATE_LIMITED",
      message: "Too many unknown keys from this address.",
      details: { retryAfterSeconds: 40 },
    }),
  );
  wrong.check("b");
  now = 60_000;
  wrong.check("a");
  wrong.fail("a");
  expect(() => wrong.check("a")).toThrow(refused("RATE_LIMITED"));
  now = 200_000;
  wrong.check("a");
});
