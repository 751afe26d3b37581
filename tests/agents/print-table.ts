import { nameOfUpstream } from "./options.ts";
import type { LoopRow } from "./run-loop.ts";

const columns: readonly {
  readonly title: string;
  readonly cell: (row: LoopRow, turns: number) => string;
}[] = [
  { title: "client", cell: (row) => row.agent },
  { title: "way", cell: nameOfWay },
  { title: "upstream", cell: (row) => nameOfUpstream(row.upstream) },
  { title: "manner", cell: (row) => row.manner },
  { title: "window", cell: (row) => String(row.window) },
  { title: "turns", cell: (row, turns) => `${row.turns}/${turns}` },
  { title: "finished", cell: (row) => (row.finished ? "yes" : "NO") },
  { title: "exit", cell: (row) => String(row.exitCode ?? "killed") },
  { title: "overflows", cell: (row) => String(row.overflows) },
  { title: "invalid", cell: (row) => String(row.invalid) },
  { title: "client summaries", cell: (row) => String(row.clientSummaries) },
  { title: "task lost", cell: (row) => String(row.withoutTask) },
  { title: "requests", cell: (row) => String(row.requests) },
  { title: "folds", cell: (row) => String(row.folds) },
  { title: "largest input", cell: (row) => String(row.largestInput) },
  { title: "cached", cell: (row) => `${Math.round(row.cachedShare * 100)} %` },
  { title: "cost/turn", cell: (row) => String(row.costPerTurn) },
  { title: "seconds", cell: (row) => row.seconds.toFixed(1) },
];

/** How the client got there, with the preset where it went through Midfold. */
export function nameOfWay({ way, preset }: LoopRow): string {
  return preset === undefined ? way : `${way} (${preset})`;
}

/** The rows as a table for people. */
export function printTable(rows: readonly LoopRow[], turns: number): string {
  return layOut([columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ cell }) => cell(row, turns)))]);
}

/** Every run through Midfold beside the same client by itself, where that was run too. */
export function printComparison(rows: readonly LoopRow[]): string {
  const titles = [
    "client",
    "upstream",
    "manner",
    "window",
    "turns",
    "direct",
    "folds",
    "prefix",
    "direct",
    "cost/turn",
  ];
  const lines = rows
    .filter(({ way }) => way === "midfold")
    .map((row) => {
      const { agent, upstream, manner, window } = row;
      const same = (other: LoopRow) => other.agent === agent && other.window === window && other.upstream === upstream;
      const alone = rows.filter((other) => other.way === "direct" && same(other));
      const direct = alone.find((other) => other.manner === manner);
      const percent = (share: number) => `${Math.round(share * 100)} %`;
      return [
        ...[agent, nameOfUpstream(upstream), manner, String(window), String(row.turns), String(direct?.turns ?? "-")],
        ...[String(row.folds), percent(row.cachedShare), direct === undefined ? "-" : percent(direct.cachedShare)],
        `${row.costPerTurn} (direct ${direct?.costPerTurn ?? "-"})`,
      ];
    });
  return layOut([titles, ...lines]);
}

function layOut(cells: readonly (readonly string[])[]): string {
  const widths = cells[0]!.map((_, place) => Math.max(...cells.map((line) => line[place]!.length)));
  const isRight = (place: number) => cells.slice(1).every((line) => /^[\d.-]+( %|\/\d+)?$/.test(line[place]!));
  const right = widths.map((_, place) => isRight(place));
  const lines = cells.map((line) =>
    line
      .map((text, place) => (right[place] ? text.padStart(widths[place]!) : text.padEnd(widths[place]!)))
      .join("  ")
      .trimEnd(),
  );
  return [lines[0], widths.map((width) => "-".repeat(width)).join("  "), ...lines.slice(1)].join("\n");
}
