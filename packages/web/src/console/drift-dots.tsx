import type { Drift } from "../api/types.gen.ts";
import { useWidth } from "../ui/use-width.ts";

const height = 120;
const left = 44;
const pad = 12;

interface DriftDotsProps {
  readonly points: Drift["models"][number]["points"];
  readonly label: string;
}

/** One dot per request: how many percent our count was above or below the bill. */
export function DriftDots({ points, label }: DriftDotsProps) {
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
