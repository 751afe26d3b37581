import type { Drift } from "../api/types.gen.ts";
import { ChartFrame } from "../ui/chart-frame.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { formatCount, plural } from "../ui/format.ts";
import { Legend } from "../ui/legend.tsx";
import { Notice } from "../ui/notice.tsx";
import { DriftDots } from "./drift-dots.tsx";

type ModelDrift = Drift["models"][number];

const signed = (share: number): string => `${share > 0 ? "+" : ""}${(100 * share).toFixed(1)}%`;

/** How well we count: our sizes against what the providers billed. */
export function DriftSection({ drift }: { readonly drift: Drift }) {
  const measured = drift.models.filter(({ points }) => points.length > 0);
  if (measured.length === 0) {
    return (
      <Notice>How far our counts are from the providers' cannot be said yet: no usage report has come back.</Notice>
    );
  }
  return (
    <section aria-labelledby="drift" className="space-y-3">
      <h2 id="drift" className="font-semibold">
        Our counts against what was billed
      </h2>
      {measured.map((model) => (
        <ModelChart key={model.model} model={model} />
      ))}
    </section>
  );
}

function ModelChart({ model }: { readonly model: ModelDrift }) {
  const worst = Math.max(0, ...model.points.map(({ counted, billed }) => Math.abs(counted - billed) / billed));
  const summary = `Counted by ${model.counter}: ${(100 * model.meanError).toFixed(1)}% off on average, ${(100 * worst).toFixed(1)}% at worst, over ${plural(model.points.length, "request")}. Learned ratio ${model.ratio.toFixed(3)} billed per counted token.`;
  return (
    <ChartFrame
      title={model.model}
      summary={summary}
      chart={<DriftDots points={model.points} label={`${model.model}. ${summary}`} />}
      legend={
        <Legend
          items={[
            { name: "our count, above or below what was billed", color: "var(--accent)" },
            { name: "exactly as billed", color: "var(--line-strong)", look: "line" },
          ]}
        />
      }
      table={
        <DataTable
          caption={`Counted and billed tokens, ${model.model}`}
          columns={[
            { name: "Time", cell: (point) => new Date(point.at).toLocaleTimeString() },
            { name: "Counted", number: true, cell: (point) => formatCount(point.counted) },
            { name: "Billed", number: true, cell: (point) => formatCount(point.billed) },
            { name: "Off by", number: true, cell: (point) => signed((point.counted - point.billed) / point.billed) },
          ]}
          rows={model.points}
          keyOf={(point, index) => `${point.at}-${index}`}
        />
      }
    />
  );
}
