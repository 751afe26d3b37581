import { presets } from "@midfold/core";
import { describe, expect, it } from "vitest";
import { isProvablySmall } from "./is-provably-small.ts";

const bytes = (text: string) => Buffer.from(text);

describe("isProvablySmall", () => {
  it("holds when there are fewer bytes than tokens allowed", () => {
    expect(isProvablySmall(bytes('{"messages":[]}'), presets.proxy, 1000, 100)).toBe(true);
    expect(isProvablySmall(bytes("x".repeat(101)), presets.proxy, 1000, 100)).toBe(false);
  });
  it("does not hold for what is larger than its bytes", () => {
    expect(isProvablySmall(bytes('{"type":"image_url","url":"http://x"}'), presets.proxy, 100_000, 90_000)).toBe(false);
    expect(isProvablySmall(bytes('{"type":"document"}'), presets.proxy, 100_000, 90_000)).toBe(false);
  });
  it("leaves presets that look at single results or at numbers of messages alone", () => {
    const small = bytes("x".repeat(50));
    expect(isProvablySmall(small, presets.agent, 1000, 900)).toBe(true);
    expect(isProvablySmall(bytes("x".repeat(500)), presets.agent, 1000, 900)).toBe(false);
    expect(isProvablySmall(small, presets.compact, 1000, 900)).toBe(false);
  });
});
