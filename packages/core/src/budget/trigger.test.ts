import { describe, expect, test } from "vitest";
import { isMidfoldError } from "../errors/midfold-error.ts";
import { defaultCompactTrigger, exceededTrigger, parseTrigger, type TriggerInput } from "./trigger.ts";

describe("parseTrigger", () => {
  test.each<[TriggerInput, object]>([
    ["85%", { tokens: 170_000 }],
    ["62.5%", { tokens: 125_000 }],
    ["100%", { tokens: 200_000 }],
    [0.7, { tokens: 140_000 }],
    [1, { tokens: 200_000 }],
    [120_000, { tokens: 120_000 }],
    ["120000", { tokens: 120_000 }],
    ["120_000", { tokens: 120_000 }],
    ["120k", { tokens: 120_000 }],
    [-20_000, { tokens: 180_000 }],
    ["-20k", { tokens: 180_000 }],
    [" 1 m ", { tokens: 200_000 }],
    ["0.1m", { tokens: 100_000 }],
    ["1_0_0_0", { tokens: 1_000 }],
    ["99", { tokens: 99 }],
    [1_000_000, { tokens: 200_000 }],
    [{ messages: 40 }, { messages: 40 }],
    [{ turns: 12 }, { turns: 12 }],
    [
      { tokens: "50%", turns: 3 },
      { tokens: 100_000, turns: 3 },
    ],
  ])("%j of 200 000", (input, expected) => {
    expect(parseTrigger(input, 200_000)).toEqual(expected);
  });

  test.each<TriggerInput>(["", "lots", "120%", "%", 0, -200_000, Number.NaN, {}, { messages: 0 }, { turns: 1.5 }])(
    "%j is refused with the grammar",
    (input) => {
      const attempt = () => parseTrigger(input, 200_000);
      expect(attempt).toThrow(/is not usable: .*Write "85%"/s);
      try {
        attempt();
      } catch (error) {
        expect(isMidfoldError(error, "VALIDATION_ERROR")).toBe(true);
      }
    },
  );
});

test("what is wrong is said in words", () => {
  const say = (input: TriggerInput) => () => parseTrigger(input, 200_000);
  expect(say({})).toThrow("it names neither tokens, messages nor turns");
  expect(say({ messages: 0 })).toThrow('{"messages":0} is not usable: messages must be a positive whole number');
  expect(say({ turns: 1.5 })).toThrow('{"turns":1.5} is not usable: turns must be a positive whole number');
  expect(say("lots")).toThrow("it leaves no number of 200000 tokens");
  expect(say(-200_000)).toThrow("it leaves 0 of 200000 tokens");
  expect(say("x120k")).toThrow(/no number/);
  expect(say("120kx")).toThrow(/no number/);
  expect(() => parseTrigger({ messages: 3 }, 0)).toThrow("Context limit must be positive");
});

describe("exceededTrigger", () => {
  const usage = { tokens: 60_000, messages: 40, turns: 10 };
  test("defaults: at 60 000 tokens nothing happens, above it does", () => {
    expect(exceededTrigger(defaultCompactTrigger, usage)).toBeUndefined();
    expect(exceededTrigger(defaultCompactTrigger, { ...usage, tokens: 60_001 })).toBe("tokens");
  });

  test("any one threshold is enough", () => {
    expect(exceededTrigger({ tokens: 99_999, messages: 39 }, usage)).toBe("messages");
    expect(exceededTrigger({ turns: 9 }, usage)).toBe("turns");
    expect(exceededTrigger({ tokens: 99_999, messages: 40, turns: 10 }, usage)).toBeUndefined();
    expect(exceededTrigger({}, usage)).toBeUndefined();
  });
});
