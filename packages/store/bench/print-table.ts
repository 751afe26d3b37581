/** Rows of equal keys as a table for people. */
export function printTable(rows: readonly Readonly<Record<string, string | number>>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const width = (column: string) => Math.max(column.length, ...rows.map((row) => String(row[column]).length));
  const line = (cell: (column: string) => string) =>
    columns
      .map((column, index) => (index === 0 ? cell(column).padEnd(width(column)) : cell(column).padStart(width(column))))
      .join("  ");
  console.log(line((column) => column));
  console.log(line((column) => "-".repeat(width(column))));
  for (const row of rows) console.log(line((column) => String(row[column])));
}

/** The figure below which this share of the sorted samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
