import { presets } from "@midfold/core";
import { describe, expect, it } from "vitest";
import type { Limits } from "../learn/limits.ts";
import type { Destination } from "../upstreams/destination.ts";
import { countingError, inputBudget, resolveWindow, tightWindow } from "./window.ts";

const key = { tenant: "t", upstream: "u", model: "m" };

interface Known {
  readonly stated?: boolean;
  readonly listed?: number;
  readonly learned?: number;
  readonly learnedOutput?: number;
  readonly proven?: number;
  readonly registry?: number;
  readonly asked?: number;
  /** What the model can write, where somebody knows. */
  readonly maxOutput?: number;
  /** The longest of its answers so far. */
  readonly longest?: number;
}

function resolve(known: Known) {
  const {
    stated = false,
    listed,
    learned,
    learnedOutput,
    proven = 0,
    registry,
    asked,
    maxOutput = 4_000,
    longest,
  } = known;
  const limits = {
    limitOf: () =>
      learned === undefined && learnedOutput === undefined
        ? undefined
        : { contextWindow: learned, maxOutputTokens: learnedOutput },
    provenOf: () => proven,
  } as unknown as Limits;
  const destination = {
    info: { window: registry ?? 8_000, known: registry !== undefined, maxOutput },
    windowIsStated: stated,
    listedWindow: () => listed,
  } as unknown as Destination;
  return resolveWindow(
    { limits, replies: { longestOf: () => longest, add: () => undefined } },
    key,
    destination,
    asked,
  );
}

describe("the window of a model", () => {
  it.each<[string, Known, number, string]>([
    [
      "configured holds, whatever else is known",
      { stated: true, registry: 9_000, learned: 5_000, listed: 7_000, proven: 20_000 },
      9_000,
      "route",
    ],
    ["of the registry", { registry: 10_000 }, 10_000, "registry"],
    ["of the upstream's list comes before the registry", { registry: 10_000, listed: 7_000 }, 7_000, "upstream"],
    ["learned holds where it is smaller", { registry: 10_000, learned: 5_000 }, 5_000, "learned"],
    ["learned does not where it is larger", { registry: 10_000, learned: 12_000 }, 10_000, "registry"],
    ["learned and known, when they are the same, is known", { registry: 10_000, learned: 10_000 }, 10_000, "registry"],
    ["learned of a model nobody knows", { learned: 12_000 }, 12_000, "learned"],
    ["learned is never less than what was read", { registry: 10_000, learned: 5_000, proven: 6_000 }, 6_000, "learned"],
    ["known is never less than what was read", { registry: 10_000, proven: 15_000 }, 15_000, "registry"],
    ["of a model nobody knows is a guess", {}, 8_000, "guess"],
    ["that is a guess grows with what was read", { proven: 5_000 }, 10_000, "guess"],
  ])("%s", (_, known, tokens, source) => {
    expect(resolve(known)).toMatchObject({ tokens, source });
  });

  it("of a model nobody knows leaves a quarter for the answer, also where it turns out to be smaller", () => {
    expect(resolve({}).maxOutput).toBe(2_000);
    expect(resolve({ learned: 4_000 })).toMatchObject({ maxOutput: 1_000, reserve: 1_000 });
    expect(resolve({ learned: 4_000, asked: 32_000 }).reserve).toBe(1_000);
    expect(resolve({ learned: 100_000 }).maxOutput).toBe(4_000);
    expect(resolve({ registry: 6_000 }).maxOutput).toBe(4_000);
  });

  it("has the smallest limit on the answer that is known", () => {
    expect(resolve({ registry: 10_000 }).maxOutput).toBe(4_000);
    expect(resolve({ registry: 10_000, learnedOutput: 1_500 }).maxOutput).toBe(1_500);
    expect(resolve({ registry: 10_000, learnedOutput: 9_000 }).maxOutput).toBe(4_000);
    expect(resolve({ registry: 3_000 }).maxOutput).toBe(3_000);
    expect(resolve({ registry: 10_000, asked: 700 })).toMatchObject({ asked: 700, reserve: 700 });
  });

  describe("keeps free for the answer of a model whose answers are known", () => {
    const unknown = { stated: true, registry: 32_768, maxOutput: 8_192 };

    it("an eighth, where nothing says how long it gets and none was long", () => {
      expect(resolve(unknown).reserve).toBe(8_192);
      expect(resolve({ ...unknown, longest: 30 }).reserve).toBe(4_096);
      expect(resolve({ ...unknown, longest: 30, asked: 128_000 }).reserve).toBe(4_096);
      // Its own figure says nothing here either: it is more than half the window.
      expect(resolve({ ...unknown, maxOutput: 32_768, longest: 30 }).reserve).toBe(4_096);
    });

    it("twice the longest of them, and never more than without knowing", () => {
      expect(resolve({ ...unknown, longest: 2_500 }).reserve).toBe(5_000);
      expect(resolve({ ...unknown, longest: 6_000 }).reserve).toBe(8_192);
      expect(resolve({ ...unknown, registry: 8_192, maxOutput: 2_048, longest: 30 }).reserve).toBe(2_048);
      expect(resolve({ ...unknown, registry: 4_096, maxOutput: 1_024, longest: 30 }).reserve).toBe(1_024);
    });

    it("what was asked for, what the model can write and what the upstream named, where somebody says", () => {
      expect(resolve({ ...unknown, longest: 30, asked: 6_000 }).reserve).toBe(6_000);
      expect(resolve({ ...unknown, longest: 30, asked: 8_192 }).reserve).toBe(8_192);
      expect(resolve({ ...unknown, maxOutput: 16_000, longest: 30 }).reserve).toBe(16_000);
      expect(resolve({ ...unknown, learnedOutput: 6_000, longest: 30 }).reserve).toBe(6_000);
    });
  });

  it("with room for a short answer only is the same otherwise, and never asks for more than was asked", () => {
    const window = resolve({ registry: 10_000, asked: 3_000 });
    expect(tightWindow(window)).toEqual({ ...window, reserve: 1_024, asked: 1_024 });
    expect(tightWindow({ ...window, asked: 600 })).toMatchObject({ reserve: 1_024, asked: 600 });
    expect(tightWindow({ ...window, asked: undefined })).toMatchObject({ asked: 1_024 });
    expect(tightWindow({ ...window, reserve: 500 })).toMatchObject({ reserve: 500, asked: 500 });
  });
});

describe("what the input may weigh", () => {
  const window = resolve({ registry: 10_000, asked: 2_000 });

  it("is what the window leaves beside answer and margin", () => {
    const preset = { ...presets.proxy, safetyTokens: 100, safetyPercent: 0 };
    expect(inputBudget(window, preset, 0)).toBe(10_000 - 2_000 - 100);
    expect(inputBudget(window, { ...preset, safetyPercent: 5 }, 0)).toBe(10_000 - 2_000 - 100 - 500);
    expect(inputBudget(window, preset, 0.25)).toBe(Math.floor(7_900 / 1.25));
  });

  it("is less by what our count may be off", () => {
    const error = (own: object, measured: number) =>
      countingError({ errorOf: () => measured } as never, key, own as never);
    expect(error({ exact: true }, 0)).toBe(0);
    expect(error({ exact: true, errorBound: 0.2 }, 0)).toBe(0);
    expect(error({ exact: false }, 0)).toBe(0.05);
    expect(error({ exact: false, errorBound: 0.2 }, 0.1)).toBe(0.2);
    expect(error({ exact: false, errorBound: 0.2 }, 0.3)).toBe(0.3);
  });
});
