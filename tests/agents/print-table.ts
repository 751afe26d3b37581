import { nameOfUpstream } from "./options.ts";
import type { LoopRow } from "./run-loop.ts";

const columns: readonly {
  readonly title: string;
  readonly right?: boolean;
  readonly cell: (row: LoopRow, turns: number) => string;
}[] = [
  { title: "client", cell: (row) => row.agent },
  { title: "way", cell: nameOfWay },
  { title: "upstream", cell: (row) => nameOfUpstream(row.upstream) },
  { title: "manner", cell: (row) => row.manner },
  { title: "window", right: true, cell: (row) => String(row.window) },
  { title: "turns", right: true, cell: (row, turns) => `${row.turns}/${turns}` },
  { title: "finished", cell: (row) => (row.finished ? "yes" : "NO") },
  { title: "exit", right: true, cell: (row) => String(row.exitCode ?? "killed") },
  { title: "overflows", right: true, cell: (row) => String(row.overflows) },
  { title: "invalid", right: true, cell: (row) => String(row.invalid) },
  { title: "client summaries", right: true, cell: (row) => String(row.clientSummaries) },
  { title: "task lost", right: true, cell: (row) => String(row.withoutTask) },
  { title: "requests", right: true, cell: (row) => String(row.requests) },
  { title: "largest input", right: true, cell: (row) => String(row.largestInput) },
  { title: "cached", right: true, cell: (row) => `${Math.round(row.cachedShare * 100)} %` },
  { title: "cost/turn", right: true, cell: (row) => String(row.costPerTurn) },
  { title: "seconds", right: true, cell: (row) => row.seconds.toFixed(1) },
];

/** How the client got there, with the preset where it went through Midfold. */
export function nameOfWay({ way, preset }: LoopRow): string {
  return preset === undefined ? way : `${way} (${preset})`;
}

/** The rows as a table for people. */
export function printTable(rows: readonly LoopRow[], turns: number): string {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ cell }) => cell(row, turns)))];
  const widths = columns.map((_, place) => Math.max(...cells.map((line) => line[place]!.length)));
  const lines = cells.map((line) =>
    line
      .map((text, place) => (columns[place]?.right ? text.padStart(widths[place]!) : text.padEnd(widths[place]!)))
      .join("  ")
      .trimEnd(),
  );
  return [lines[0], widths.map((width) => "-".repeat(width)).join("  "), ...lines.slice(1)].join("\n");
}
