import { MidfoldError } from "@midfold/core";
import { describe, expect, it } from "vitest";
import { createClientAddress } from "./client-address.ts";
import { checkHost, checkOrigin } from "./create-gate.ts";
import { rememberKeys } from "./find-key.ts";
import { identify, resolveKeys } from "./identify.ts";
import type { Identity, KnownKey } from "./identity.ts";
import { createKeyLimiter } from "./limit-key.ts";
import { createWrongKeyLimiter } from "./limit-wrong-keys.ts";
import { createLoadLimiter } from "./load-limits.ts";

const identity = (limits: Identity["limits"], tenant = "t"): Identity => ({
  tenant,
  keyId: undefined,
  keyName: undefined,
  admin: false,
  limits,
  providerKey: undefined,
  keyHash: undefined,
});

describe("checkHost", () => {
  const rules = { hosts: ["gw.example"], anyHost: false, port: 4141 };
  it.each(["localhost:4141", "127.0.0.1:4141", "[::1]:4141", "LOCALHOST:4141", "gw.example", "gw.example:80"])(
    "answers to %s",
    (host) => expect(() => checkHost({ host }, rules)).not.toThrow(),
  );
  it.each(["evil.example", "localhost.:4141", "127.0.0.1:9", "localhost:4141@evil", "127.0.0.1.evil.example:4141", ""])(
    "refuses %s",
    (host) => expect(() => checkHost({ host }, rules)).toThrow(/Host/),
  );
});

describe("checkOrigin", () => {
  it("lets in what is no page, our own page, and configured origins", () => {
    expect(checkOrigin({ host: "localhost:1" }, [])).toBeUndefined();
    expect(checkOrigin({ host: "localhost:1", origin: "http://localhost:1" }, [])).toBeUndefined();
    expect(checkOrigin({ host: "localhost:1", origin: "https://app.example" }, ["https://app.example"])).toBe(
      "https://app.example",
    );
  });
  it.each([
    { host: "localhost:1", origin: "https://evil.example" },
    { host: "localhost:1", origin: "null" },
    { host: "localhost:1", origin: "http://localhost:2" },
    { host: "localhost:1", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
  ])("refuses %o", (headers) => expect(() => checkOrigin(headers, [])).toThrow(/origin/));
});

describe("resolveKeys", () => {
  it.each([
    [{ authorization: "Bearer k" }],
    [{ "x-api-key": "k" }],
    [{ "api-key": "k" }],
    [{ "x-goog-api-key": "k" }],
    [{ "x-midfold-key": "k" }],
    [{ "x-api-key": "k", authorization: "bearer k" }],
  ])("finds the key in %o", (headers) => expect(resolveKeys(headers).gatewayKey).toBe("k"));
  it("refuses two different keys and repeated headers", () => {
    expect(() => resolveKeys({ authorization: "Bearer a", "x-api-key": "b" })).toThrow(/two different/);
    expect(() => resolveKeys({ "x-api-key": ["a", "b"] })).toThrow(/only once/);
    expect(() => resolveKeys({ authorization: "Basic abc" })).toThrow(/Bearer/);
  });
  it("tells our key from the provider's when both are named", () => {
    expect(resolveKeys({ "x-midfold-key": "ours", authorization: "Bearer theirs" })).toEqual({
      gatewayKey: "ours",
      providerKey: "theirs",
    });
  });
});

describe("identify", () => {
  const known: KnownKey = { id: "key_1", name: "laptop", tenant: "anna", admin: false, limits: {} };
  const find = (hash: string) => (hash.startsWith("ba7816bf") ? known : undefined); // SHA-256 of "abc"
  it("knows a key by its hash and does not hand it on as a provider's", async () => {
    const found = await identify({ "x-api-key": "abc" }, { required: true, findKey: find, defaultLimits: {} });
    expect(found).toMatchObject({ tenant: "anna", keyId: "key_1", providerKey: undefined });
  });
  it("refuses unknown and missing keys when keys are needed", async () => {
    const options = { required: true, findKey: find, defaultLimits: {} };
    expect(() => identify({ "x-api-key": "abd" }, options)).toThrow(expect.objectContaining({ code: "UNAUTHORIZED" }));
    expect(() => identify({}, options)).toThrow(expect.objectContaining({ code: "UNAUTHORIZED" }));
    const later = { ...options, findKey: async (hash: string) => find(hash) };
    await expect(identify({ "x-api-key": "abd" }, later)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(await identify({ "x-api-key": "abc" }, later)).toMatchObject({ tenant: "anna" });
  });
  it("keeps callers with keys of their own apart when none is needed", async () => {
    const options = { required: false, findKey: find, defaultLimits: {} };
    const one = await identify({ "x-api-key": "sk-1" }, options);
    const two = await identify({ "x-api-key": "sk-2" }, options);
    expect(one.tenant).not.toBe(two.tenant);
    expect(one.providerKey).toBe("sk-1");
    expect((await identify({}, options)).tenant).toBe("local");
  });
});

describe("rememberKeys", () => {
  const key: KnownKey = { id: "1", name: "", tenant: "t", admin: false, limits: {} };
  it("asks once, again after a while, and at once after forget", async () => {
    let now = 0;
    let asked = 0;
    const keys = rememberKeys(
      () => {
        asked++;
        return key;
      },
      { ttlMs: 10, graceMs: 100, patienceMs: 20, maxKeys: 5, now: () => now },
    );
    await keys.find("h");
    await keys.find("h");
    expect(asked).toBe(1);
    now = 11;
    await keys.find("h");
    expect(asked).toBe(2);
    keys.forget();
    await keys.find("h");
    expect(asked).toBe(3);
  });

  it("lets in who was known while the store is away or hangs, for a while, and nobody else", async () => {
    let now = 0;
    let answer: () => Promise<KnownKey | undefined> = async () => key;
    const keys = rememberKeys((hash) => (hash === "h" ? answer() : away()), {
      ...{ ttlMs: 10, graceMs: 100, patienceMs: 20, maxKeys: 5 },
      now: () => now,
    });
    const away = () => Promise.reject(new MidfoldError("STORE_UNAVAILABLE", "away"));
    expect(await keys.find("h")).toBe(key);
    answer = away;
    now = 50;
    expect(await keys.find("h")).toBe(key);
    await expect(keys.find("other")).rejects.toThrow("away");
    answer = () => new Promise(() => undefined);
    expect(await keys.find("h")).toBe(key);
    answer = away;
    now = 101;
    await expect(keys.find("h")).rejects.toThrow("away");
  });

  it("forgets a key the store no longer knows", async () => {
    let now = 0;
    let found: KnownKey | undefined = key;
    const keys = rememberKeys(async () => found, {
      ...{ ttlMs: 10, graceMs: 100, patienceMs: 20, maxKeys: 5 },
      now: () => now,
    });
    await keys.find("h");
    found = undefined;
    now = 11;
    expect(await keys.find("h")).toBeUndefined();
  });
});

describe("createKeyLimiter", () => {
  it("grants the share, says how long to wait, and refills evenly", () => {
    let now = 0;
    const limiter = createKeyLimiter(() => now);
    const who = identity({ requestsPerMinute: 2 });
    limiter.admit(who).release();
    limiter.admit(who).release();
    expect(() => limiter.admit(who)).toThrow(
      expect.objectContaining({ code: "RATE_LIMITED", details: { retryAfterSeconds: 30 } }),
    );
    now = 30_000;
    limiter.admit(who).release();
    expect(() => limiter.admit(who)).toThrow(/requests a minute/);
  });
  it("counts parallel requests and gives places back once", () => {
    const limiter = createKeyLimiter(() => 0);
    const who = identity({ concurrentRequests: 1 });
    const first = limiter.admit(who);
    expect(() => limiter.admit(who)).toThrow(/in flight/);
    first.release();
    first.release();
    limiter.admit(who);
    expect(() => limiter.admit(who)).toThrow(/in flight/);
    expect(() => limiter.admit(identity({ concurrentRequests: 1 }, "other"))).not.toThrow();
  });
  it("reserves tokens before they are spent, so that a burst cannot overshoot", () => {
    const limiter = createKeyLimiter(() => 0);
    const who = identity({ tokensPerMinute: 100 });
    let admitted = 0;
    for (let i = 0; i < 50; i++) {
      try {
        limiter.reserveTokens(who, 10);
        admitted++;
      } catch {}
    }
    expect(admitted).toBe(10);
  });
});

describe("createWrongKeyLimiter", () => {
  it("stops an address after ten unknown keys and forgets after a minute", () => {
    let now = 0;
    const guesses = createWrongKeyLimiter({ perMinute: 10, now: () => now });
    for (let i = 0; i < 10; i++) {
      guesses.check("a");
      guesses.fail("a");
    }
    expect(() => guesses.check("a")).toThrow(/unknown keys/);
    expect(() => guesses.check("b")).not.toThrow();
    now = 60_001;
    expect(() => guesses.check("a")).not.toThrow();
  });
});

describe("createLoadLimiter", () => {
  it("refuses beyond its places and beyond its room for bodies, and recovers", () => {
    const load = createLoadLimiter({ maxInFlight: 1, maxBodyBytes: 100, now: () => 0 });
    const leave = load.enter();
    expect(() => load.enter()).toThrow(expect.objectContaining({ code: "OVERLOADED" }));
    leave();
    leave();
    expect(load.inFlight).toBe(0);
    const drop = load.holdBytes(80);
    expect(() => load.holdBytes(30)).toThrow(/can hold/);
    drop.release();
    drop.release();
    const grown = load.holdBytes(30);
    grown.upTo(60);
    const other = load.holdBytes(40);
    expect(() => grown.upTo(61)).toThrow(/can hold/);
    other.release();
    expect(() => grown.upTo(90)).not.toThrow();
  });
});

describe("createClientAddress", () => {
  const from = (remote: string, forwarded: string, trusted = ["10.0.0.0/8", "::1"]) =>
    createClientAddress(trusted)(remote, { "x-forwarded-for": forwarded });
  it.each([
    ["nobody is trusted", from("10.0.0.1", "1.2.3.4", []), "10.0.0.1"],
    ["it comes from elsewhere", from("9.9.9.9", "1.2.3.4"), "9.9.9.9"],
    ["a proxy says so", from("10.0.0.1", "1.2.3.4"), "1.2.3.4"],
    ["a client made up the left part", from("10.0.0.1", "6.6.6.6, 1.2.3.4"), "1.2.3.4"],
    ["there are two proxies", from("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.2"), "1.2.3.4"],
    ["it is no address", from("10.0.0.1", "<script>"), "10.0.0.1"],
    ["the proxy has an IPv6 socket", from("::ffff:10.0.0.1", "2001:db8::1"), "2001:db8::1"],
    ["the header is missing", createClientAddress(["10.0.0.0/8"])("10.0.0.1", {}), "10.0.0.1"],
  ])("when %s", (_, address, expected) => expect(address).toBe(expected));
});
