import { isMidfoldError, MidfoldError } from "@midfold/core";
import { describe, expect, it } from "vitest";
import { toStoreError } from "./database.ts";
import { postgresTraits } from "./postgres/open-postgres.ts";
import { sqliteTraits } from "./sqlite/sqlite-traits.ts";
import { SqliteTrouble } from "./sqlite/sqlite-trouble.ts";

const codeOf = (error: unknown) => (isMidfoldError(error) ? error.code : undefined);
const withCode = (code: string) => Object.assign(new Error("driver words with row values"), { code });

describe("toStoreError", () => {
  it.each([
    [5, "STORE_UNAVAILABLE"], // busy
    [517, "STORE_UNAVAILABLE"], // busy snapshot
    [13, "STORE_FULL"],
    [11, "STORE_CORRUPT"],
    [26, "STORE_CORRUPT"],
    [8, "STORE_UNSAFE"],
    [14, "STORE_UNSAFE"],
    [778, "STORE_UNAVAILABLE"], // input/output error while writing
    [1555, "VERSION_CONFLICT"],
    [2067, "VERSION_CONFLICT"],
    [1, undefined],
  ])("takes SQLite's %i for %s", (code, expected) => {
    expect(codeOf(toStoreError(new SqliteTrouble("words", code), sqliteTraits))).toBe(expected);
  });

  it.each([
    ["40001", "STORE_UNAVAILABLE"],
    ["57P01", "STORE_UNAVAILABLE"],
    ["08006", "STORE_UNAVAILABLE"],
    ["ECONNREFUSED", "STORE_UNAVAILABLE"],
    ["53300", "STORE_UNAVAILABLE"],
    ["53100", "STORE_FULL"],
    ["XX001", "STORE_CORRUPT"],
    ["23505", "VERSION_CONFLICT"],
    ["42601", undefined],
  ])("takes PostgreSQL's %s for %s", (code, expected) => {
    expect(codeOf(toStoreError(withCode(code), postgresTraits))).toBe(expected);
  });

  it("says nothing of what the driver said, and keeps our own errors", () => {
    const error = toStoreError(withCode("23505"), postgresTraits) as MidfoldError;
    expect(error.message).not.toContain("row values");
    expect(error.cause).toBeInstanceOf(Error);
    const own = new MidfoldError("NOT_FOUND", "gone");
    expect(toStoreError(own, sqliteTraits)).toBe(own);
  });
});
