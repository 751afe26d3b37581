import { expect, test } from "vitest";
import { pairMessages } from "./pair-messages.ts";

const say = (text: string) => ({ role: "user", content: text });
const fates = (before: unknown[], after: unknown[]) =>
  pairMessages(before, after).map(
    ({ fate, message, index }) => `${fate} ${(message as { content: string }).content} ${index}`,
  );

test("what stays, goes and comes is told apart, in order", () => {
  expect(fates([say("a"), say("b"), say("c"), say("d")], [say("a"), say("digest"), say("d")])).toEqual([
    "kept a 0",
    "added digest null",
    "removed b 1",
    "removed c 2",
    "kept d 3",
  ]);
});

test("equal messages are paired by their order", () => {
  expect(fates([say("x"), say("y"), say("x")], [say("x"), say("x")])).toEqual(["kept x 0", "removed y 1", "kept x 2"]);
  expect(fates([say("x")], [say("x")])).toEqual(["kept x 0"]);
  expect(fates([say("x"), say("y")], [])).toEqual(["removed x 0", "removed y 1"]);
});
