import { expect, it } from "vitest";
import { anyWord } from "./any-word.ts";

it("finds whole words of any case and alphabet, and the others anywhere", () => {
  const pattern = anyWord("now|été|ты|đừng", "现在");
  for (const line of ["Now!", "(now)", "now7", "7now", "L'Été", "А Ты?", "Đừng", "他现在好", "é now"]) {
    expect([line, pattern.test(line)]).toEqual([line, true]);
  }
  for (const line of ["know", "nowhere", "énow", "nowé", "степты", "现 在", ""]) {
    expect([line, pattern.test(line)]).toEqual([line, false]);
  }
  expect(anyWord("now").test("现在")).toBe(false);
});
