import { expect, test } from "vitest";
import { createUnorderedList } from "./unordered-list.ts";

test("what was put in is there until it is taken out, in whatever order", () => {
  const bag = createUnorderedList<string>();
  for (const item of ["a", "b", "c", "d"]) bag.add(item);
  bag.remove("b");
  bag.remove("b");
  bag.remove("d");
  bag.add("e");
  expect([...bag.items()].sort()).toEqual(["a", "c", "e"]);
  expect(bag.size).toBe(3);
  for (const item of bag.items()) bag.remove(item);
  expect(bag.items()).toEqual([]);
});
