import type { Overview } from "../api/types.gen.ts";
import { DataTable } from "../ui/data-table.tsx";
import { formatCount, formatTime } from "../ui/format.ts";

/** Which model goes where, and what the gateway has found out about the places. */
export function RouteTables({ overview }: { readonly overview: Overview }) {
  return (
    <div className="space-y-3">
      <DataTable
        caption="Routes, as configured: the first that matches the model is taken"
        columns={[
          { name: "Model", cell: (route) => <code className="font-mono text-xs">{route.model}</code> },
          { name: "Sent to", cell: (route) => route.upstream },
          { name: "Protocol", cell: (route) => route.protocol },
          { name: "Preset", cell: (route) => route.preset },
          {
            name: "Window",
            number: true,
            cell: (route) => (route.window === null ? "the model's own" : formatCount(route.window)),
          },
        ]}
        rows={overview.routes}
        keyOf={(route, index) => `${index}-${route.model}`}
      />
      {overview.learned.length === 0 ? (
        <p className="text-ink-soft">No limit had to be learned from a provider's error.</p>
      ) : (
        <DataTable
          caption="Limits learned from what providers answered"
          columns={[
            { name: "Model", cell: (limit) => `${limit.model} at ${limit.upstream}` },
            {
              name: "Window",
              number: true,
              cell: (limit) => (limit.contextWindow === null ? "not known" : formatCount(limit.contextWindow)),
            },
            {
              name: "Largest reply",
              number: true,
              cell: (limit) => (limit.maxOutputTokens === null ? "not known" : formatCount(limit.maxOutputTokens)),
            },
            { name: "Learned", cell: (limit) => formatTime(new Date(limit.learnedAt).toISOString()) },
            { name: "Evidence", cell: (limit) => limit.evidence },
          ]}
          rows={overview.learned}
          keyOf={(limit, index) => `${index}-${limit.model}`}
        />
      )}
    </div>
  );
}
