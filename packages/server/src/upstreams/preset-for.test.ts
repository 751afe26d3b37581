import { foldSync } from "@midfold/core";
import { compactPreset, parseCompactConfig } from "@midfold/core/compat";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { presetFor } from "./preset-for.ts";

const chat = Array.from({ length: 81 }, (_, i) => ({
  role: i % 2 === 0 ? "user" : "assistant",
  content: `Message ${i}. ${"Some words follow. ".repeat(20)}`,
}));

/** Numbers of the messages that a server with these variables sends as they were. */
function kept(env: Readonly<Record<string, string>>): number[] {
  const preset = presetFor(loadConfig(undefined, env).fold);
  const { messages } = foldSync(chat, { model: "gpt-4o", budget: 3_000, preset });
  return messages.map((message) => chat.indexOf(message)).filter((index) => index >= 0);
}

describe("R0's strategies, by environment variable", () => {
  test("R0 2.1 R0 2.4 without any, start and end stay", () => {
    const ends = kept({});
    expect(ends[0]).toBe(0);
    expect(ends.at(-1)).toBe(80);
    expect(ends.length).toBeLessThan(80);
  });

  test("R0 2.2 R0 2.3 sliding-window keeps the newest messages and nothing else", () => {
    const newest = kept({ CONTEXT_COMPRESSION_STRATEGY: "sliding-window" });
    expect(newest.length).toBeGreaterThan(3);
    expect(newest).toEqual(Array.from(newest, (_, at) => 81 - newest.length + at));
  });

  test("R0 2.5 a larger share at the start keeps more of the start", () => {
    const atStart = (percent: string) => {
      const list = kept({ CONTEXT_COMPRESSION_HEAD_PERCENT: percent });
      return list.filter((index, at) => index === at).length;
    };
    expect(atStart("0")).toBe(0);
    expect(atStart("20")).toBeGreaterThan(0);
    expect(atStart("60")).toBeGreaterThan(atStart("20"));
  });
});

describe("R4's block", () => {
  const trigger = (block: string) => {
    const text = `compact: ${block}\nroutes:\n- model: a\n  upstream: { provider: demo }`;
    return presetFor(loadConfig({ file: "midfold.yaml", text }, {}).fold).trigger;
  };

  test("R4 4.2 thresholds mean in the server what they mean in the library", () => {
    for (const block of [
      {},
      { message_threshold: 40 },
      { token_threshold: null },
      { token_threshold: null, turn_threshold: 3 },
    ]) {
      expect(trigger(JSON.stringify(block))).toEqual(compactPreset(parseCompactConfig(block)).trigger);
    }
    expect(trigger("{ token_threshold: null }")).toBeUndefined();
  });
});
