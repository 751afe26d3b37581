import { describe, expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { cachePrices, growthPerCall, lowWaterShare } from "./low-water.ts";

const prices = cachePrices({});

describe("how much of a small room a fold in a session fills", () => {
  it.each([
    [3_290, 1_080],
    [3_100, 1_080],
    [9_500, 1_050],
    [20_000, 3_000],
  ])("of %i tokens with %i per call so much that whole calls fit into the rest", (room, growth) => {
    const calls = ((1 - lowWaterShare(room, growth, prices, 3_000)) * room) / (growth * 1.05);
    expect(Math.abs(calls - Math.round(calls))).toBeLessThan(1e-6);
  });

  it("and not less than a seventh for the sake of one call more", () => {
    expect(lowWaterShare(2_000, 1_000, prices, 3_000)).toBeGreaterThan(0.35);
    expect(lowWaterShare(1_000, 5_000, prices, 3_000)).toBeGreaterThan(0.35);
  });

  it("nor below what a provider caches at all", () => {
    expect(lowWaterShare(3_000, 1_080, prices, 0)).toBeGreaterThan(0.35);
    expect(lowWaterShare(3_000, 1_080, prices, 3_000)).toBeLessThan(0.3);
    // A large room holds as much by itself.
    expect(lowWaterShare(9_500, 1_050, prices, 0)).toBe(lowWaterShare(9_500, 1_050, prices, 3_000));
    expect(lowWaterShare(9_500, 1_050, prices, 0) * 9_500).toBeGreaterThan(2_500);
  });
});

it("the text and the tool calls of one answer are one call, also where each is a message of its own", () => {
  const message = (role: Message["role"]): Message => ({ role, parts: [] });
  const turn = [message("assistant"), message("assistant"), message("tool")];
  expect(growthPerCall([message("user"), ...turn, ...turn], 2_000)).toBe(1_000);
});
