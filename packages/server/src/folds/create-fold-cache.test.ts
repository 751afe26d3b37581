import type { FoldRecord, Plan } from "@midfold/core";
import { describe, expect, it } from "vitest";
import { createFoldCaches } from "./create-fold-cache.ts";

const record = (prefix: string, covers: number, text = "t"): FoldRecord => ({
  id: `fold-${prefix}`,
  prefix,
  covers,
  preset: "proxy",
  edits: [],
  texts: [text],
  tokens: { before: 10, after: 1 },
  by: "digest",
});
const plan = {} as Plan;
const options = { store: undefined, maxBytes: 10_000, onStoreError: () => undefined };

describe("createFoldCaches", () => {
  it("finds the fold that covers most of a conversation", async () => {
    const folds = createFoldCaches(options)("anna");
    await folds.save(record("a", 1), plan);
    await folds.save(record("c", 3), plan);
    expect(await folds.find(["a", "b", "c", "d"])).toMatchObject({ id: "fold-c" });
    expect(await folds.find(["a", "b"])).toMatchObject({ id: "fold-a" });
    expect(await folds.find(["x"])).toBeUndefined();
  });

  it("never shows one tenant's folds to another", async () => {
    const foldsOf = createFoldCaches(options);
    await foldsOf("anna").save(record("a", 1), plan);
    expect(await foldsOf("bert").find(["a"])).toBeUndefined();
  });

  it("stays within its memory and keeps what was met last", async () => {
    const folds = createFoldCaches({ ...options, maxBytes: 4_000 })("anna");
    await folds.save(record("a", 1, "x".repeat(500)), plan);
    await folds.save(record("b", 1, "x".repeat(500)), plan);
    await folds.find(["a"]);
    await folds.save(record("c", 1, "x".repeat(500)), plan);
    await folds.save(record("d", 1, "x".repeat(300)), plan);
    expect(await folds.find(["b"])).toBeUndefined();
    expect(await folds.find(["a"])).toBeDefined();
  });
});
