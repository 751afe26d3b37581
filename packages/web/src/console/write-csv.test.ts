import { expect, test } from "vitest";
import type { Savings, SavingsRow } from "../api/types.gen.ts";
import { writeCsv } from "./write-csv.ts";

const row = { requests: 2, tokensBefore: 10, tokensAfter: 4, summaryMicros: null } as SavingsRow;

test("a line per hour and per model; names cannot break out of their cell or become formulas", () => {
  const savings = {
    byHour: [{ at: 0, ...row }],
    byModel: [
      { model: 'a,"b"', ...row },
      { model: "=1+1", ...row },
    ],
  } as unknown as Savings;
  const [head, hour, odd, formula] = writeCsv(savings).split("\n");
  expect(head?.split(",").slice(0, 3)).toEqual(["of", "name", "requests"]);
  expect(hour).toMatch(/^hour,1970-01-01T00:00:00.000Z,2,,,10,4,/);
  expect(odd).toMatch(/^model,"a,""b""",2,/);
  expect(formula).toMatch(/^model,'=1\+1,2,/);
});
