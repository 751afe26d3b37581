import { getCounter } from "@midfold/core";
import { describe, expect, it } from "vitest";
import { find, useHarness } from "../chat-harness.test-data.ts";
import { seedHistory, wordsOf } from "../seed-history.test-data.ts";

const minute = 60_000;
/** As in `auto-fold.test.ts`: what the history may weigh, with the words being sent and what every request costs. */
const window = 8192;
const budget = 3686;
const input = 15;
const most = budget - input - getCounter("gpt-4o").countMessages([]);
const settings = { maxSummaryTokens: 500 };

describe("a chat that goes on after a pause", () => {
  const chat = useHarness({ window, config: settings });
  /** Asks in a conversation of turns of 300 tokens each, so long after it was written. */
  const askAfter = async (history: number, pause: number, clock = chat.clock) => {
    const turns = Math.floor(history / 300);
    const sizes = Array.from({ length: turns }, (_, at) => [150, at === 0 ? 150 + history - turns * 300 : 150]).flat();
    const session = await seedHistory(chat, sizes);
    clock.now = Date.now() + pause;
    const before = chat.summaries.calls;
    const events = await chat.say(session.id, wordsOf(input, "go"));
    return { events, asked: chat.summaries.calls - before };
  };

  it("is summarized before its next turn would need it, once the provider's cache is cold", async () => {
    expect((await askAfter(most - 100, 9 * minute)).asked).toBe(0);
    const { events, asked } = await askAfter(most - 100, 11 * minute);
    expect(asked).toBe(1);
    expect(find(events, "fold.done")?.result.tokensAfter).toBeLessThan(most * 0.7);
    expect(find(events, "turn.end")).toBeDefined();
  });

  it("stays as it is while more than its next turn fits", async () => {
    const { events, asked } = await askAfter(most - 700, 24 * 60 * minute);
    expect(asked).toBe(0);
    expect(events.some(({ type }) => type.startsWith("fold."))).toBe(false);
  });

  it("is sent whole without a word, where its summary fails or may not be tried again yet", async () => {
    chat.setSummary(() => ({ text: "" }));
    const failing = await seedHistory(chat, [150, most - 100 - 150]);
    chat.clock.now = Date.now() + 11 * minute;
    const failed = await chat.say(failing.id, wordsOf(input, "go"));
    expect(find(failed, "fold.failed")).toMatchObject({ sentInstead: "full-history" });
    expect(find(failed, "turn.end")).toBeDefined();
    const waiting = await chat.say(failing.id, "go on");
    expect(waiting.some(({ type }) => type.startsWith("fold."))).toBe(false);
    chat.setSummary(() => ({ text: "## Context\nThe garden." }));
  });
});

describe("a chat that goes on with another model", () => {
  const chat = useHarness({ window, config: settings, simulator: { models: ["gpt-4o", "gpt-4o-mini"] } });

  it("is cold at once: nobody else's cache is of use to it", async () => {
    for (const [first, folds] of [
      ["gpt-4o", false],
      ["gpt-4o-mini", true],
    ] as const) {
      const session = await seedHistory(chat, [150, most - 300, 20, 20]);
      await chat.say(session.id, wordsOf(input, "go"), { model: first });
      const events = await chat.say(session.id, wordsOf(input, "on"), { model: "gpt-4o" });
      expect(events.some(({ type }) => type === "fold.done")).toBe(folds);
    }
  });
});

describe("a chat whose user has switched summaries off, or set a minimum", () => {
  for (const config of [{ autoCompression: false }, { minTokens: 8_000 }]) {
    const chat = useHarness({ window, config: { ...settings, ...config } });
    it(`is left alone after a pause: ${JSON.stringify(config)}`, async () => {
      const session = await seedHistory(chat, [150, most - 100 - 150]);
      chat.clock.now = Date.now() + 60 * minute;
      const events = await chat.say(session.id, wordsOf(input, "go"));
      expect(events.some(({ type }) => type.startsWith("fold."))).toBe(false);
    });
  }
});
