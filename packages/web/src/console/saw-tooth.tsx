import { useRouter } from "@tanstack/react-router";
import type { ConversationPoint } from "../api/types.gen.ts";
import { axisTicks } from "../ui/axis-ticks.ts";
import { formatCount, formatTokens } from "../ui/format.ts";
import { useWidth } from "../ui/use-width.ts";
import { outcomeLabels } from "./outcome-words.ts";

const height = 260;
const left = 44;
const right = 10;
const top = 12;
const bottom = 24;

interface SawToothProps {
  readonly series: readonly ConversationPoint[];
  readonly label: string;
}

/** Size of the context at every request: it grows, is folded, and grows again. */
export function SawTooth({ series, label }: SawToothProps) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const router = useRouter();
  const max = Math.max(1, ...series.map((point) => Math.max(point.tokensBefore, point.window)));
  const ticks = axisTicks(max);
  const topValue = ticks.at(-1) ?? max;
  const x = (index: number) => left + ((width - left - right) * index) / Math.max(1, series.length - 1);
  const y = (value: number) => top + (height - top - bottom) * (1 - value / topValue);
  const path = (pick: (point: ConversationPoint) => number) =>
    series
      .map((point, index) => `${index === 0 ? "M" : "L"}${x(index).toFixed(1)} ${y(pick(point)).toFixed(1)}`)
      .join("");
  const open = (point: ConversationPoint) => void router.history.push(`/console/requests/${point.requestId}`);
  return (
    <div ref={frame}>
      <svg role="img" aria-label={label} width={width} height={height} className="block max-w-full">
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={left} x2={width - right} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
            <text x={left - 6} y={y(tick) + 4} textAnchor="end" fontSize="11" fill="var(--ink-soft)">
              {formatTokens(tick)}
            </text>
          </g>
        ))}
        <path d={path(({ window }) => window)} fill="none" stroke="var(--alarm)" strokeWidth="1.5" />
        <path
          d={path(({ budget }) => budget)}
          fill="none"
          stroke="var(--warn)"
          strokeWidth="1.5"
          strokeDasharray="6 4"
        />
        <path
          d={path(({ tokensBefore }) => tokensBefore)}
          fill="none"
          stroke="var(--fold-line)"
          strokeWidth="1.5"
          strokeDasharray="2 3"
        />
        <path
          d={`${path(({ tokensAfter }) => tokensAfter)}L${x(series.length - 1)} ${y(0)}L${x(0)} ${y(0)}Z`}
          fill="var(--accent)"
          opacity="0.14"
        />
        <path
          d={path(({ tokensAfter }) => tokensAfter)}
          fill="none"
          stroke="var(--accent)"
          strokeWidth="2"
          strokeLinejoin="round"
        />
        {series.map((point, index) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the mouse; the table has the links.
          <g
            key={point.requestId}
            data-fold={point.outcome === "folded"}
            className="cursor-pointer"
            onClick={() => open(point)}
          >
            <title>{`Request ${index + 1}: ${formatCount(point.tokensBefore)} received, ${formatCount(point.tokensAfter)} sent, ${outcomeLabels[point.outcome]}`}</title>
            <rect x={x(index) - 8} y={top} width="16" height={height - top - bottom} fill="transparent" />
            {point.outcome === "folded" ? (
              <path
                d={`M${x(index) - 6} ${y(point.tokensAfter) - 14}h12l-6 9z`}
                fill="var(--cat-summary)"
                stroke="var(--surface)"
              />
            ) : (
              series.length <= 80 && <circle cx={x(index)} cy={y(point.tokensAfter)} r="2.5" fill="var(--accent)" />
            )}
          </g>
        ))}
        <text x={left} y={height - 6} fontSize="11" fill="var(--ink-soft)">
          first request
        </text>
        <text x={width - right} y={height - 6} textAnchor="end" fontSize="11" fill="var(--ink-soft)">
          latest
        </text>
      </svg>
    </div>
  );
}
