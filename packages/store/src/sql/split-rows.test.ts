import { expect, it } from "vitest";
import { splitRows } from "./split-rows.ts";

it("keeps all rows in order, in groups of eight sizes whatever their number", () => {
  const sizes = new Set<number>();
  for (let count = 0; count <= 600; count++) {
    const rows = Array.from({ length: count }, (_, index) => index);
    const groups = splitRows(rows);
    expect(groups.flat()).toEqual(rows);
    for (const { length } of groups) sizes.add(length);
  }
  expect([...sizes].toSorted((a, b) => a - b)).toEqual([1, 2, 4, 8, 16, 32, 64, 128]);
  expect(splitRows(new Array(200).fill(0))).toHaveLength(3);
});
