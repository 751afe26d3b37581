import { MidfoldError } from "@midfold/core";
import { describe, expect, it } from "vitest";
import { createClientAddress } from "./client-address.ts";
import { checkHost, checkOrigin, createGate, type GateOptions, type GateRequest } from "./create-gate.ts";
import type { KnownKey } from "./identity.ts";
import { createKeyLimiter } from "./limit-key.ts";
import { createWrongKeyLimiter } from "./limit-wrong-keys.ts";
import { createLoadLimiter } from "./load-limits.ts";

const key: KnownKey = { id: "key_1", name: "laptop", tenant: "anna", admin: false, limits: {} };
const refused = (code: string, message: string | RegExp = /./) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe("the gate", () => {
  const open = (more: Partial<GateOptions> & { findKey?: GateOptions["identify"]["findKey"] } = {}) => {
    const load = createLoadLimiter({ maxInFlight: 4, maxBodyBytes: 1000, now: () => 0 });
    const { findKey = () => key, ...others } = more;
    const options: GateOptions = {
      hostRules: () => ({ hosts: [], anyHost: false, port: 4141 }),
      origins: ["https://app.example"],
      identify: { required: true, findKey, defaultLimits: {} },
      wrongKeys: createWrongKeyLimiter({ perMinute: 2, now: () => 0 }),
      addressOf: (remote) => remote,
      keys: createKeyLimiter(() => 0),
      load,
      maxHeaders: 10,
      ...others,
    };
    return { gate: createGate(options), load: options.load };
  };
  const request = (headers: Record<string, string> = {}, more: Partial<GateRequest> = {}): GateRequest => ({
    method: "GET",
    headers: { host: "localhost:4141", "x-api-key": "abc", ...headers },
    headerCount: 2,
    remoteAddress: "10.0.0.1",
    ...more,
  });
  const keyed = { auth: "key", counts: true } as const;

  it("lets a known key in, and gives its place back once", async () => {
    const { gate, load } = open();
    const pass = await gate(request({ origin: "https://app.example" }), keyed);
    expect(pass.identity).toMatchObject({ tenant: "anna", keyId: "key_1" });
    expect(pass.origin).toBe("https://app.example");
    expect(load.inFlight).toBe(1);
    pass.release();
    pass.release();
    expect(load.inFlight).toBe(0);
  });

  it("asks nobody who they are where a route is for all, but host, origin and headers are looked at", async () => {
    const { gate, load } = open({ findKey: () => undefined });
    const free = { auth: "none", counts: false } as const;
    const pass = await gate(request(), free);
    expect(pass).toMatchObject({ identity: undefined, origin: undefined });
    expect(load.inFlight).toBe(0);
    pass.release();
    expect(() => gate(request({ host: "evil.example" }), free)).toThrow(
      refused("FORBIDDEN", /does not answer to that Host/),
    );
    expect(() => gate(request({ origin: "https://evil.example" }), free)).toThrow(
      refused("FORBIDDEN", /another origin/),
    );
    expect(() => gate(request({}, { headerCount: 11 }), free)).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR", status: 431, message: "A request may have 10 headers." }),
    );
    expect(await gate(request({}, { headerCount: 10 }), free)).toBeDefined();
  });

  it.each([
    ["at once", (() => undefined) as GateOptions["identify"]["findKey"]],
    ["by a store", (async () => undefined) as GateOptions["identify"]["findKey"]],
  ])(
    "refuses an unknown key, looked up %s, and after some of them everything unknown from that address",
    async (_, findKey) => {
      const { gate, load } = open({ findKey });
      const ask = async (remoteAddress: string) => {
        try {
          return await gate(request({}, { remoteAddress }), keyed);
        } catch (error) {
          return (error as MidfoldError).code;
        }
      };
      expect([await ask("a"), await ask("a"), await ask("a"), await ask("b")]).toEqual([
        "UNAUTHORIZED",
        "UNAUTHORIZED",
        "RATE_LIMITED",
        "UNAUTHORIZED",
      ]);
      expect(load.inFlight).toBe(0);
    },
  );

  it("an address with many unknown keys may still use a good one, and other errors are no wrong keys", async () => {
    let answer: () => KnownKey | undefined = () => undefined;
    const { gate } = open({ findKey: () => answer() });
    for (let turn = 0; turn < 3; turn++) expect(() => gate(request(), keyed)).toThrow();
    answer = () => key;
    expect((await gate(request(), keyed)).identity?.tenant).toBe("anna");
    const store = open({
      findKey: () => {
        throw new MidfoldError("STORE_UNAVAILABLE", "away");
      },
    });
    for (let turn = 0; turn < 5; turn++)
      expect(() => store.gate(request(), keyed)).toThrow(refused("STORE_UNAVAILABLE"));
    expect(store.load.inFlight).toBe(0);
  });

  it("counts a call against the key's limits only where the route says so, and leaves nothing held when it refuses", async () => {
    const limited = { ...key, limits: { requestsPerMinute: 1 } };
    const { gate, load } = open({ findKey: () => limited });
    const free = { auth: "key", counts: false } as const;
    for (let turn = 0; turn < 3; turn++) (await gate(request(), free)).release();
    (await gate(request(), keyed)).release();
    for (let turn = 0; turn < 6; turn++) expect(() => gate(request(), keyed)).toThrow(refused("RATE_LIMITED"));
    expect(load.inFlight).toBe(0);
    expect(await gate(request(), free)).toBeDefined();
  });

  it("no key holds more than half of all places, keys it made included", async () => {
    const { gate } = open({ findKey: () => ({ ...key, id: `key_${Math.random()}`, limitedAs: "parent" }) });
    const first = await gate(request(), keyed);
    await gate(request(), keyed);
    expect(() => gate(request(), keyed)).toThrow(refused("RATE_LIMITED", "The key has 2 requests in flight"));
    first.release();
    expect(await gate(request(), keyed)).toBeDefined();
  });

  it.each<[string, Record<string, string>, "json" | "compressed-json" | "any" | undefined, boolean]>([
    ["POST", { "content-type": "application/json" }, undefined, true],
    ["POST", { "content-type": "Application/JSON; charset=utf-8" }, undefined, true],
    ["POST", { "content-type": "application/jsonp" }, undefined, false],
    ["POST", { "content-type": "text/plain" }, undefined, false],
    ["POST", { "content-type": "text/plain" }, "any", true],
    ["GET", { "content-type": "text/plain" }, undefined, true],
    ["HEAD", { "content-type": "text/plain" }, undefined, true],
    ["OPTIONS", { "content-type": "text/plain" }, undefined, true],
    ["DELETE", {}, undefined, true],
    ["POST", { "content-length": "0" }, undefined, true],
    ["POST", { "content-length": "5" }, undefined, false],
    ["POST", { "transfer-encoding": "chunked" }, undefined, false],
    ["POST", { "content-type": "application/json", "content-encoding": "gzip" }, undefined, false],
    ["POST", { "content-type": "application/json", "content-encoding": "identity" }, undefined, true],
    ["POST", { "content-type": "application/json", "content-encoding": "GZIP" }, "compressed-json", true],
  ])("%s %o with bodies %s: %s", (method, headers, bodies, allowed) => {
    const { gate } = open();
    const policy = { auth: "none", counts: false, ...(bodies === undefined ? {} : { bodies }) } as const;
    const ask = () => gate(request(headers, { method }), policy);
    if (allowed) expect(ask()).toBeDefined();
    else expect(ask).toThrow(refused("UNSUPPORTED_MEDIA_TYPE", /^(The body must be sent as|A body encoded as gzip)/));
  });

  it("an address of another protocol version, and any host where that was chosen", () => {
    const rules = { hosts: ["gw.example:8443"], anyHost: false, port: undefined };
    expect(checkHost({ ":authority": "localhost:9" }, rules)).toBeUndefined();
    expect(checkHost({ host: "gw.example:8443" }, rules)).toBeUndefined();
    expect(checkHost({ host: "localhost" }, { ...rules, port: 4141 })).toBeUndefined();
    expect(() => checkHost({ host: "gw.example:80" }, rules)).toThrow(refused("FORBIDDEN"));
    expect(() => checkHost({}, rules)).toThrow(refused("FORBIDDEN"));
    expect(checkHost({ host: "anything" }, { ...rules, anyHost: true })).toBeUndefined();
    expect(checkOrigin({ host: "h", origin: "https://h" }, [])).toBeUndefined();
    expect(checkOrigin({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, [])).toBeUndefined();
    expect(checkOrigin({ "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" }, [])).toBeUndefined();
  });
});

describe("who really asks", () => {
  const from = (trusted: string[], remote: string, forwarded?: string) =>
    createClientAddress(trusted)(remote, forwarded === undefined ? {} : { "x-forwarded-for": forwarded });

  it.each<[string[], string, string | undefined, string]>([
    [[], "10.0.0.1", "1.2.3.4", "10.0.0.1"],
    [["10.0.0.0/8"], "10.0.0.1", "1.2.3.4", "1.2.3.4"],
    [["10.0.0.0/8"], "10.0.0.1", "6.6.6.6, 1.2.3.4, 10.9.9.9", "1.2.3.4"],
    [["10.0.0.0/8"], "9.9.9.9", "1.2.3.4", "9.9.9.9"],
    [["10.0.0.1"], "10.0.0.2", "1.2.3.4", "10.0.0.2"],
    [["10.0.0.1"], "10.0.0.1", "1.2.3.4", "1.2.3.4"],
    [["10.0.0.1"], "10.0.0.1", undefined, "10.0.0.1"],
    [["10.0.0.1"], "10.0.0.1", "unknown", "10.0.0.1"],
    [["10.0.0.1"], "10.0.0.1", "10.0.0.1", "10.0.0.1"],
    [["10.0.0.1"], "::ffff:10.0.0.1", "::FFFF:1.2.3.4", "1.2.3.4"],
    [["fd00::/8"], "fd00::1", "2001:db8::7", "2001:db8::7"],
    [["fd00::1"], "fd00::2", "2001:db8::7", "fd00::2"],
    [["fd00::1"], "fd00::1", "2001:db8::7", "2001:db8::7"],
    [["10.0.0.1"], "socket", "1.2.3.4", "socket"],
  ])("behind %o, at %s with %s: %s", (trusted, remote, forwarded, client) => {
    expect(from(trusted, remote, forwarded)).toBe(client);
  });
});
