import type { RequestDetail } from "../api/types.gen.ts";
import { DataTable } from "../ui/data-table.tsx";
import { formatSeconds } from "../ui/format.ts";

interface Stage {
  readonly name: string;
  readonly from: number;
  readonly ms: number;
  readonly color: string;
}

/** Receive → decide → fold → send → first byte → done, to scale. */
export function RequestTimeline({ request }: { readonly request: RequestDetail }) {
  const stages = toStages(request);
  const total = Math.max(0.001, request.timing.total);
  return (
    <div className="space-y-3">
      <ol aria-label="Timeline" className="space-y-1.5">
        {stages.map(({ name, from, ms, color }) => (
          <li key={name} className="grid grid-cols-[7.5rem_minmax(0,1fr)_4rem] items-center gap-2 text-sm">
            <span className="text-ink-soft">{name}</span>
            <span aria-hidden="true" className="relative h-4 rounded bg-sunken">
              <span
                className="absolute inset-y-0 min-w-[3px] rounded"
                style={{
                  left: `${Math.min(99, (100 * from) / total)}%`,
                  width: `${(100 * ms) / total}%`,
                  background: color,
                }}
              />
            </span>
            <span className="text-right tabular-nums">{formatSeconds(ms)}</span>
          </li>
        ))}
      </ol>
      <details className="text-sm">
        <summary className="text-ink-soft">As a table</summary>
        <div className="mt-2">
          <DataTable
            caption="Timeline of the request"
            hideCaption
            columns={[
              { name: "Stage", cell: (stage) => stage.name },
              { name: "Begins, ms", number: true, cell: (stage) => stage.from.toFixed(1) },
              { name: "Takes, ms", number: true, cell: (stage) => stage.ms.toFixed(1) },
            ]}
            rows={stages}
            keyOf={(stage) => stage.name}
          />
        </div>
      </details>
    </div>
  );
}

function toStages({ timing, state }: RequestDetail): readonly Stage[] {
  const { total, fold, overhead, upstreamFirstByte } = timing;
  const read = Math.max(0, overhead - fold);
  const stages: Stage[] = [
    { name: "Read and decide", from: 0, ms: read, color: "var(--cat-system)" },
    { name: "Count and fold", from: read, ms: fold, color: "var(--cat-summary)" },
  ];
  if (upstreamFirstByte === null) return stages;
  const first = overhead + upstreamFirstByte;
  stages.push({ name: "Wait for model", from: overhead, ms: upstreamFirstByte, color: "var(--cat-reserved)" });
  if (state !== "running")
    stages.push({ name: "Answer", from: first, ms: Math.max(0, total - first), color: "var(--cat-recent)" });
  return stages;
}
