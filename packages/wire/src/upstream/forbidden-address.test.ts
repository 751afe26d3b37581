import { createServer } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { isMidfoldError } from "@midfold/core";
import { describe, expect, test } from "vitest";
import { createGuardedLookup, isForbiddenAddress, namesItsAddress } from "./forbidden-address.ts";
import { createUpstreamClient } from "./upstream-client.ts";

describe("isForbiddenAddress", () => {
  test.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "::1",
    "fd00::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
  ])("%s only where private networks are allowed", (address) => {
    expect(isForbiddenAddress(address, false)).toBe(true);
    expect(isForbiddenAddress(address, true)).toBe(false);
  });

  test.each(["169.254.169.254", "0.0.0.0", "::", "fe80::1", "::ffff:a9fe:a9fe", "224.0.0.1", "not an address"])(
    "%s never, through a name",
    (address) => {
      expect(isForbiddenAddress(address, true)).toBe(true);
    },
  );

  test.each(["1.1.1.1", "104.18.7.192", "2606:4700::6812:7c0"])("%s is public", (address) => {
    expect(isForbiddenAddress(address, false)).toBe(false);
  });
});

test.each([
  ["127.0.0.1", true],
  ["[::1]", true],
  ["localhost", true],
  ["localhost.", true],
  ["api.openai.com", false],
  ["localhost.example.com", false],
])("%s names its address: %s", (host, expected) => {
  expect(namesItsAddress(host)).toBe(expected);
});

const resolveTo =
  (...answers: string[][]): LookupFunction =>
  (_, options, callback) => {
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    if (options.all === true) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family ?? 4);
  };

describe("through the real request path", () => {
  async function attempt(lookup: LookupFunction, privateNetwork = false) {
    let calls = 0;
    const server = createServer((_, response) => {
      calls += 1;
      response.end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const client = createUpstreamClient({ lookup, random: () => 0 });
    try {
      const baseUrl = `http://upstream.example:${port}`;
      const response = await client.send({ name: "named", baseUrl, privateNetwork }, { path: "/x", body: "{}" });
      await response.body.cancel();
      return { calls };
    } catch (error) {
      return { calls, code: isMidfoldError(error) ? error.code : String(error) };
    } finally {
      await client.close();
      server.close();
    }
  }

  test("a name that resolves to this machine is refused before a connection is made", async () => {
    expect(await attempt(resolveTo(["127.0.0.1"]))).toEqual({ calls: 0, code: "UPSTREAM_FORBIDDEN" });
  });

  test("one forbidden address among public ones is enough", async () => {
    expect(await attempt(resolveTo(["93.184.216.34", "127.0.0.1"]))).toEqual({ calls: 0, code: "UPSTREAM_FORBIDDEN" });
  });

  test("the metadata address is refused even where private networks are allowed", async () => {
    expect(await attempt(resolveTo(["169.254.169.254"]), true)).toEqual({ calls: 0, code: "UPSTREAM_FORBIDDEN" });
  });

  test("with permission the private name is reached", async () => {
    expect(await attempt(resolveTo(["127.0.0.1"]), true)).toEqual({ calls: 1 });
  });
});

test("the address that was checked is the one connected to", () => {
  const lookup = createGuardedLookup(false, resolveTo(["93.184.216.34"], ["127.0.0.1"]));
  let seen: unknown;
  lookup("rebinding.example", { all: true }, (_, addresses) => {
    seen = addresses;
  });
  expect(seen).toEqual([{ address: "93.184.216.34", family: 4 }]);
  lookup("rebinding.example", { all: true }, (error) => {
    seen = error;
  });
  expect(isMidfoldError(seen, "UPSTREAM_FORBIDDEN")).toBe(true);
});
