/**
 * Rows in groups of 128, 64, 32 and so on down to one, in order. A database keeps every statement it has prepared, and
 * one for every number of rows would take tens of megabytes.
 */
export function splitRows<TRow>(rows: readonly TRow[]): TRow[][] {
  const groups: TRow[][] = [];
  for (let from = 0; from < rows.length; ) {
    const size = Math.min(largestGroup, 2 ** Math.floor(Math.log2(rows.length - from)));
    groups.push(rows.slice(from, from + size));
    from += size;
  }
  return groups;
}

const largestGroup = 128;
