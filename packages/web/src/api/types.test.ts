import { expect, test } from "vitest";
import { isCurrent } from "../../scripts/write-api-types.ts";

test("the types are those of the server's schemas; if not, run scripts/write-api-types.ts", () => {
  expect(isCurrent()).toBe(true);
});
