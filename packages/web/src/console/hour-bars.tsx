import type { Savings } from "../api/types.gen.ts";
import { axisTicks, usualMost } from "../ui/axis-ticks.ts";
import { formatCount, formatTokens } from "../ui/format.ts";
import { useWidth } from "../ui/use-width.ts";

const height = 200;
const left = 44;
const top = 10;
const bottom = 22;
const hourMs = 3_600_000;
const maxHours = 48;

interface HourBarsProps {
  readonly rows: Savings["byHour"];
  readonly label: string;
}

/** Received per hour, split into what was sent and what was folded away. */
export function HourBars({ rows, label }: HourBarsProps) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const last = rows.at(-1)?.at ?? 0;
  const first = Math.max(rows[0]?.at ?? 0, last - (maxHours - 1) * hourMs);
  const hours = Math.max(6, Math.round((last - first) / hourMs) + 1);
  const ticks = axisTicks(usualMost(rows.map(({ tokensBefore }) => tokensBefore)), 3);
  const most = ticks.at(-1) ?? 1;
  const step = (width - left) / hours;
  // What is higher than the scale ends at its top; the words on it say how high it is.
  const y = (value: number) => top + (height - top - bottom) * (1 - Math.min(value, most) / most);
  const x = (at: number) => left + (hours - 1 - (last - at) / hourMs) * step;
  return (
    <div ref={frame}>
      <svg role="img" aria-label={label} width={width} height={height} className="block max-w-full">
        <defs>
          <pattern id="folded-away" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="2.5" height="6" fill="var(--fold-line)" />
          </pattern>
        </defs>
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
            <text x={left - 6} y={y(tick) + 4} textAnchor="end" fontSize="11" fill="var(--ink-soft)">
              {formatTokens(tick)}
            </text>
          </g>
        ))}
        {rows
          .filter(({ at }) => at >= first)
          .map((row) => (
            <g key={row.at}>
              {row.tokensBefore > most && (
                <text x={x(row.at) + step / 2} y={top - 1} textAnchor="middle" fontSize="10" fill="var(--ink-soft)">
                  {`↑${formatTokens(row.tokensBefore)}`}
                </text>
              )}
              <title>{`${new Date(row.at).toLocaleString()}: ${formatCount(row.tokensBefore)} received, ${formatCount(row.tokensAfter)} sent`}</title>
              <rect
                x={x(row.at) + step * 0.15}
                width={Math.max(2, step * 0.7)}
                y={y(row.tokensBefore)}
                height={y(row.tokensAfter) - y(row.tokensBefore)}
                fill="url(#folded-away)"
                stroke="var(--fold-line)"
              />
              <rect
                x={x(row.at) + step * 0.15}
                width={Math.max(2, step * 0.7)}
                y={y(row.tokensAfter)}
                height={y(0) - y(row.tokensAfter)}
                fill="var(--accent)"
              />
            </g>
          ))}
        <text x={width} y={height - 5} textAnchor="end" fontSize="11" fill="var(--ink-soft)">
          {last === 0 ? "" : new Date(last).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })}
        </text>
        <text x={left} y={height - 5} fontSize="11" fill="var(--ink-soft)">
          {`${hours - 1} h earlier`}
        </text>
      </svg>
    </div>
  );
}
