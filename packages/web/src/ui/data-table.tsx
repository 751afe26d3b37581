import type { ReactNode } from "react";

export interface Column<TRow> {
  readonly name: string;
  readonly cell: (row: TRow) => ReactNode;
  /** Right-aligned, with digits of equal width. */
  readonly number?: boolean;
}

interface DataTableProps<TRow> {
  readonly caption: string;
  readonly columns: readonly Column<TRow>[];
  readonly rows: readonly TRow[];
  readonly keyOf: (row: TRow, index: number) => string;
  readonly hideCaption?: boolean;
}

/** A table that scrolls sideways on a narrow screen, also by keyboard. */
export function DataTable<TRow>({ caption, columns, rows, keyOf, hideCaption = false }: DataTableProps<TRow>) {
  return (
    <section aria-label={caption} tabIndex={0} className="max-h-128 overflow-auto rounded-xl border border-line">
      <table className="w-full border-collapse text-sm">
        <caption className={hideCaption ? "sr-only" : "px-3 pt-2 pb-1 text-left text-ink-soft"}>{caption}</caption>
        <thead className="sticky top-0 bg-sunken">
          <tr>
            {columns.map(({ name, number }) => (
              <th
                key={name}
                scope="col"
                className={`border-b border-line px-3 py-2 font-medium whitespace-nowrap text-ink-soft ${number === true ? "text-right" : "text-left"}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)} className="border-t border-line first:border-t-0">
              {columns.map(({ name, cell, number }) => (
                <td key={name} className={`px-3 py-1.5 align-top ${number === true ? "text-right tabular-nums" : ""}`}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
