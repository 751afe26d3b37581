import { foldSync, getCounter } from "@midfold/core";
import { compactPreset, parseCompactConfig } from "@midfold/core/compat";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { presetFor } from "./create-destinations.ts";

const chat = Array.from({ length: 81 }, (_, i) => ({
  role: i % 2 === 0 ? "user" : "assistant",
  content: `Message ${i}. ${"Some words follow. ".repeat(20)}`,
}));

const budget = 3_000;

/** Numbers of the messages that a server with these variables sends as they were. */
function kept(env: Readonly<Record<string, string>>): number[] {
  const preset = presetFor(loadConfig(undefined, env).fold);
  const { messages } = foldSync(chat, { model: "gpt-4o", budget, preset });
  return messages.map((message) => chat.indexOf(message)).filter((index) => index >= 0);
}

describe("strategies, by environment variable", () => {
  test("without any, start and end stay", () => {
    const ends = kept({});
    expect(ends[0]).toBe(0);
    expect(ends.at(-1)).toBe(80);
    expect(ends.length).toBeLessThan(80);
  });

  test("sliding-window keeps the newest messages and nothing else", () => {
    const newest = kept({ CONTEXT_COMPRESSION_STRATEGY: "sliding-window" });
    expect(newest.length).toBeGreaterThan(3);
    expect(newest).toEqual(Array.from(newest, (_, at) => 81 - newest.length + at));
  });

  test("the start keeps its share of the budget: a fifth, or what is set", () => {
    const counter = getCounter("gpt-4o");
    const share = (env: Readonly<Record<string, string>>) => {
      const list = kept(env);
      const start = chat.slice(
        0,
        list.findIndex((index, at) => index !== at),
      );
      return (100 * counter.countMessages(start)) / budget;
    };
    const largest = (100 * counter.countMessages(chat.slice(80))) / budget;
    for (const [percent, env] of [
      [20, {}],
      [5, { CONTEXT_COMPRESSION_HEAD_PERCENT: "5" }],
      [60, { CONTEXT_COMPRESSION_HEAD_PERCENT: "60" }],
    ] as const) {
      // Whole messages only, so up to one less.
      expect(share(env)).toBeGreaterThan(percent - largest);
      expect(share(env)).toBeLessThanOrEqual(percent + 0.5);
    }
    expect(kept({ CONTEXT_COMPRESSION_HEAD_PERCENT: "0" })[0]).not.toBe(0);
  });
});

describe("the compact block", () => {
  const trigger = (block: string) => {
    const text = `compact: ${block}\nroutes:\n- model: a\n  upstream: { provider: demo }`;
    return presetFor(loadConfig({ file: "midfold.yaml", text }, {}).fold).trigger;
  };

  test("thresholds mean in the server what they mean in the library", () => {
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
