import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorsDocPath, renderErrorsDoc } from "./write-errors-doc.ts";

test("docs/errors.md lists exactly the catalogue (else run: node scripts/write-errors-doc.ts)", () => {
  expect(readFileSync(errorsDocPath, "utf8")).toBe(renderErrorsDoc());
});
