import type { Drift } from "../api/types.gen.ts";
import { ChartFrame } from "../ui/chart-frame.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { formatCount, plural } from "../ui/format.ts";
import { Legend } from "../ui/legend.tsx";
import { Notice } from "../ui/notice.tsx";
import { useWidth } from "../ui/use-width.ts";

type ModelDrift = Drift["models"][number];

const signed = (share: number): string => `${share > 0 ? "+" : ""}${(100 * share).toFixed(1)}%`;

/** How exact our token counts are, compared with what the providers billed. */
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

const height = 120;
const left = 44;
const pad = 12;

interface DriftDotsProps {
  readonly points: Drift["models"][number]["points"];
  readonly label: string;
}

/** One dot per request: how many percent our count was above or below the billed one. */
function DriftDots({ points, label }: DriftDotsProps) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const errors = points.map(({ counted, billed }) => (100 * (counted - billed)) / billed);
  const most = Math.max(2, Math.ceil(Math.max(...errors.map(Math.abs))));
  const x = (index: number) => left + pad + ((width - left - 2 * pad) * index) / Math.max(1, points.length - 1);
  const y = (error: number) => height / 2 - ((height / 2 - pad) * error) / most;
  return (
    <div ref={frame}>
      <svg role="img" aria-label={label} width={width} height={height} className="block max-w-full">
        {[most, 0, -most].map((tick) => (
          <g key={tick}>
            <line
              x1={left}
              x2={width}
              y1={y(tick)}
              y2={y(tick)}
              stroke={tick === 0 ? "var(--line-strong)" : "var(--line)"}
            />
            <text x={left - 6} y={y(tick) + 4} textAnchor="end" fontSize="11" fill="var(--ink-soft)">
              {`${tick > 0 ? "+" : ""}${tick}%`}
            </text>
          </g>
        ))}
        {errors.map((error, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: in order of time.
          <circle key={index} cx={x(index)} cy={y(error)} r="3.5" fill="var(--accent)" stroke="var(--surface)" />
        ))}
      </svg>
    </div>
  );
}
