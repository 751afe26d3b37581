import { protocols, upstreamTraits } from "@midfold/wire";
import { expect, it } from "vitest";
import { isCold } from "../exchange/is-cold.ts";
import { createLastAnswers } from "./last-answers.ts";

it("remembers the latest answer of a conversation, by the model that gave it", () => {
  const answers = createLastAnswers();
  const key = { tenant: "a", upstream: "sim", model: "m" };
  answers.note(key, "c", 20);
  // A log of an earlier run that is read in late.
  answers.note(key, "c", 10);
  expect(answers.of(key, "c")).toBe(20);
  for (const other of [{ tenant: "b" }, { upstream: "other" }, { model: "n" }]) {
    expect(answers.of({ ...key, ...other }, "c")).toBeUndefined();
  }
  expect(answers.of(key, "d")).toBeUndefined();
});

it("a cache is cold once it is older than the protocol says, or than the provider does where it keeps it longer", () => {
  const destination = { protocol: protocols["openai-chat"], traits: upstreamTraits.openai };
  expect(isCold(destination, 0, 600_000)).toBe(false);
  expect(isCold(destination, 0, 600_001)).toBe(true);
  expect(isCold(destination, 0, 600_001, { prompt_cache_retention: "24h" })).toBe(false);
  expect(isCold({ ...destination, traits: upstreamTraits.deepseek }, 0, 600_001)).toBe(false);
});
