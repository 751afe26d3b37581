import { DataTable } from "./data-table.tsx";
import { formatCount, plural } from "./format.ts";
import { decisionWords, type PlanAtom, rangeWords } from "./plan-strip.tsx";

/** Every decision of a plan as a table. */
export function DecisionTable({ atoms }: { readonly atoms: readonly PlanAtom[] }) {
  return (
    <details className="text-sm">
      <summary className="text-ink-soft">{plural(atoms.length, "decision")} as a table</summary>
      <div className="mt-2">
        <DataTable
          caption="Decisions of the plan"
          hideCaption
          columns={[
            { name: "Messages", cell: (atom) => rangeWords(atom) },
            { name: "Kind", cell: (atom) => (atom.pinned ? `${atom.kind}, pinned` : atom.kind) },
            { name: "Decision", cell: (atom) => decisionWords[atom.decision] },
            { name: "Tokens", number: true, cell: (atom) => formatCount(atom.tokens) },
          ]}
          rows={atoms}
          keyOf={(atom) => String(atom.first)}
        />
      </div>
    </details>
  );
}
