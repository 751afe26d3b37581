import { describe, expect, it } from "vitest";
import { TextCache } from "./text-cache.ts";

const text = (id: number) => `text number ${id} `.padEnd(100, ".");

describe("TextCache", () => {
  it("stays within its bound and keeps what is used", () => {
    const cache = new TextCache(10_000);
    for (let id = 0; id < 1000; id++) {
      cache.set(text(id), id);
      expect(cache.get(text(0))).toBe(0);
      expect(cache.statistics().bytes).toBeLessThanOrEqual(10_000);
    }
    expect(cache.get(text(999))).toBe(999);
    expect(cache.get(text(500))).toBeUndefined();
    expect(cache.statistics()).toMatchObject({ hits: 1001, misses: 1 });
  });

  it("holds one text that is most of the bound, and none above it", () => {
    const cache = new TextCache(10_000);
    cache.set("small", 1);
    cache.set("x".repeat(4000), 2);
    expect(cache.get("x".repeat(4000))).toBe(2);
    cache.set("y".repeat(6000), 3);
    expect(cache.get("y".repeat(6000))).toBeUndefined();
    expect(cache.statistics().bytes).toBeLessThanOrEqual(10_000);
  });

  it("replaces a value", () => {
    const cache = new TextCache(10_000);
    cache.set("a", 1);
    cache.set("a", 2);
    expect(cache.get("a")).toBe(2);
    expect(cache.statistics().entries).toBe(1);
  });
});
