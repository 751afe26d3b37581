import type { Store } from "@midfold/store";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryStore } from "../testing/temporary-store.ts";
import { createLimits } from "./limits.ts";

let store: Store;
beforeEach(async () => {
  store = await temporaryStore();
});

const key = { tenant: "anna", upstream: "vllm", model: "qwen" };
const hour = 3_600_000;

describe("learned limits", () => {
  it("are learned, corrected and forgotten by all replicas together", async () => {
    let clock = Date.now();
    const replica = () =>
      createLimits({ store, now: () => clock, onStoreError: (error) => expect.unreachable(String(error)) });
    const [one, two] = [replica(), replica()];
    await one.load("anna");
    await two.load("anna");
    const windowsSeen = async (expected: number | undefined) => {
      clock += 60_000;
      await expect
        .poll(async () => {
          await two.load("anna");
          return two.limitOf(key)?.contextWindow;
        })
        .toBe(expected);
    };
    one.learnStated(key, 16_384, "maximum context length is 16384 tokens");
    await expect.poll(() => store.of("anna").limits.list()).toHaveLength(1);
    await windowsSeen(16_384);
    expect(two.list("anna")).toMatchObject([{ upstream: "vllm", evidence: "maximum context length is 16384 tokens" }]);
    one.learnStated(key, 8_192, "maximum context length is 8192 tokens");
    await expect.poll(() => store.of("anna").limits.list()).toMatchObject([{ contextWindow: 8_192 }]);
    await windowsSeen(8_192);
    // A request larger than that was read whole.
    one.prove(key, 12_000);
    await expect.poll(() => store.of("anna").limits.list()).toEqual([]);
    await windowsSeen(undefined);
    expect(two.list("anna")).toEqual([]);
  });

  it("that follow from what an upstream did stay in this process, for an hour", async () => {
    let clock = Date.now();
    const limits = createLimits({ store, now: () => clock, onStoreError: () => expect.unreachable() });
    await limits.load("anna");
    limits.learnConcluded(key, 4_096, "the bill stayed the same");
    clock += hour - 1;
    await limits.load("anna");
    expect(limits.limitOf(key)?.contextWindow).toBe(4_096);
    clock += 2;
    expect(limits.limitOf(key)).toBeUndefined();
    expect(limits.list("anna")).toEqual([]);
    expect(await store.of("anna").limits.list()).toEqual([]);
  });

  it("of answers and of windows are kept side by side, also by other replicas", async () => {
    let clock = Date.now();
    const replica = () => createLimits({ store, now: () => clock, onStoreError: () => expect.unreachable() });
    const one = replica();
    await one.load("anna");
    one.learnAnswer(key, 8_192, "answers of at most 8192 tokens");
    expect(one.limitOf(key)).toMatchObject({ contextWindow: undefined, maxOutputTokens: 8_192 });
    one.learnStated(key, 65_536, "maximum context length is 65536 tokens");
    const both = { contextWindow: 65_536, maxOutputTokens: 8_192 };
    expect(one.limitOf(key)).toMatchObject(both);
    await expect.poll(() => store.of("anna").limits.list()).toMatchObject([both]);
    const two = replica();
    await two.load("anna");
    expect(two.limitOf(key)).toMatchObject(both);
    one.learnAnswer(key, 4_096, "answers of at most 4096 tokens");
    await expect.poll(() => store.of("anna").limits.list()).toMatchObject([{ ...both, maxOutputTokens: 4_096 }]);
    clock += 60_000;
    await expect
      .poll(async () => {
        await two.load("anna");
        return two.limitOf(key);
      })
      .toMatchObject({ ...both, maxOutputTokens: 4_096 });
    clock += 8 * 24 * hour;
    one.learnStated(key, 32_768, "maximum context length is 32768 tokens");
    expect(one.limitOf(key)).toMatchObject({ contextWindow: 32_768, maxOutputTokens: undefined });
    await expect.poll(() => store.of("anna").limits.list()).toMatchObject([{ contextWindow: 32_768 }]);
  });
});
