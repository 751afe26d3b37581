import { expect, it } from "vitest";
import { presetOf } from "./preset-of.ts";
import { presets } from "./presets.ts";

it("finds a preset by its name, and takes one's own as it is", () => {
  expect(presetOf("chat")).toBe(presets.chat);
  const own = { ...presets.agent, target: 0.3 };
  expect(presetOf(own)).toBe(own);
  const whole = { ...presets.agent, target: 1 };
  expect(presetOf(whole)).toBe(whole);
  const { target: _, ...without } = presets.agent;
  expect(presetOf(without)).toBe(without);
});

it.each(["nobody", "toString"])("a name nobody knows is an error that lists the known ones: %s", (name) => {
  expect(() => presetOf(name as "chat")).toThrow(
    expect.objectContaining({
      code: "VALIDATION_ERROR",
      message: `There is no preset "${name}". Known: ${Object.keys(presets).join(", ")}.`,
    }),
  );
});

it.each([0, -0.5, 1.01, 40, Number.NaN])("a target of %d is refused", (target) => {
  expect(() => presetOf({ ...presets.agent, target })).toThrow(
    expect.objectContaining({
      code: "VALIDATION_ERROR",
      message: expect.stringMatching(`^The preset's target must be a share between 0 and 1, not ${target}\\. Change a`),
    }),
  );
});

it.each<[object, RegExp]>([
  [{ safetyTokens: Number.NaN }, /safetyTokens must be a number, 0 or more, not NaN/],
  [{ minTokens: undefined }, /minTokens must be a number/],
  [{ maxFrameTokens: -1 }, /maxFrameTokens/],
  [{ frameShare: 5 }, /frameShare must be a share from 0 to 1, not 5/],
  [{ recall: Number.NaN }, /recall must be a share/],
  [{ head: { messages: -1 } }, /messages must be a number, 0 or more, not -1/],
  [{ tail: null }, /tail is missing/],
  [{ rungs: "fold-middle" }, /rungs is missing/],
  [{ frame: null }, /frame is missing/],
])("what cannot be used is refused by name: %o", (change, message) => {
  expect(() => presetOf({ ...presets.agent, ...change } as never)).toThrow(message);
});

it("no preset at all is refused, since it would never fold", () => {
  expect(() => presetOf({} as never)).toThrow(/The preset's frameShare must be/);
});
