import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createSeal, secretFile } from "./seal.ts";

const folder = mkdtempSync(join(tmpdir(), "midfold-seal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("createSeal", () => {
  const seal = createSeal("a secret of the test");
  it("gives back what it closed, only in its place, only with its secret", () => {
    const sealed = seal.close("sk-live-日本", ["anna", "provider", "mine"]);
    expect(sealed).not.toContain("live");
    expect(seal.open(sealed, ["anna", "provider", "mine"])).toBe("sk-live-日本");
    expect(() => seal.open(sealed, ["ben", "provider", "mine"])).toThrow(/another secret/);
    expect(() => createSeal("another secret of the test").open(sealed, ["anna", "provider", "mine"])).toThrow(
      /another secret/,
    );
    expect(seal.close("same", [])).not.toBe(seal.close("same", []));
  });
  it.each(["", "s1.", "s1.AAAA", "plain text", "s2.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])(
    "refuses %j",
    (text) => expect(() => seal.open(text, [])).toThrow(/another secret/),
  );
  it("refuses a secret that can be guessed", () => expect(() => createSeal("short")).toThrow(/16 characters/));
});

describe("secretFile", () => {
  it("makes one that only its owner reads, and finds it again", () => {
    const path = join(folder, "a.secret");
    const secret = secretFile(path);
    expect(secret.length).toBeGreaterThanOrEqual(43);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    expect(secretFile(path)).toBe(secret);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8").trim()).toBe(secret);
  });
  it("says so when it is damaged or has no place", () => {
    writeFileSync(join(folder, "b.secret"), "");
    expect(() => secretFile(join(folder, "b.secret"))).toThrow(/damaged/);
    expect(() => secretFile(join(folder, "none", "c.secret"))).toThrow(/MIDFOLD_SECRET/);
  });
});
