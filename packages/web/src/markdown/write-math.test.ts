import { expect, it } from "vitest";
import { hasMath, markMath } from "./write-math.ts";

it.each([
  ["The area is \\(\\pi r^2\\).", "The area is $$\\pi r^2$$."],
  ["\\[x = 1\\]", "\n$$\nx = 1\n$$\n"],
  ["So $a_1 + a_2 = b$ holds.", "So $$a_1 + a_2 = b$$ holds."],
  ["`$x_1$` and \\(y\\)", "`$x_1$` and $$y$$"],
])("writes the formula of %j", (text, written) => {
  expect(hasMath(text)).toBe(true);
  expect(markMath(text)).toBe(written);
});

it("leaves money, variables of a shell and code alone", () => {
  const text = "It costs $5 and $10. Set $HOME and $PATH.\n```sh\necho $a_1 = $b\n```";
  expect(markMath(text)).toBe(text);
  expect(hasMath("It costs $5 and $10.")).toBe(false);
});
