import type { Savings } from "../api/types.gen.ts";

const columns = [
  "requests",
  "folded",
  "failed",
  "tokensBefore",
  "tokensAfter",
  "input",
  "output",
  "cached",
  "cacheWrite",
  "priced",
  "costMicros",
  "savedMicros",
  "savedCachedMicros",
  "rewriteMicros",
  "summaries",
  "summaryMicros",
] as const;

/** Hours and models in one sheet; money in millionths of a dollar, empty where unknown. */
export function writeCsv({ byHour, byModel }: Savings): string {
  const rows = [
    ...byHour.map(({ at, ...row }) => ({ of: "hour", name: new Date(at).toISOString(), row })),
    ...byModel.map(({ model, ...row }) => ({ of: "model", name: model, row })),
  ];
  const lines = rows.map(({ of, name, row }) =>
    [of, quote(name), ...columns.map((column) => row[column] ?? "")].join(","),
  );
  return `${["of", "name", ...columns].join(",")}\n${lines.join("\n")}\n`;
}

/** A text that begins like a formula must not become one in a spreadsheet. */
function quote(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
