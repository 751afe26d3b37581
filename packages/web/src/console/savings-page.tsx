import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { wordsOf } from "../api/api-error.ts";
import type { Savings, SavingsRow } from "../api/types.gen.ts";
import { axisTicks, usualMost } from "../ui/axis-ticks.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ChartFrame } from "../ui/chart-frame.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { formatCount, formatTime, formatTokens, plural } from "../ui/format.ts";
import { DownloadIcon } from "../ui/icons.tsx";
import { Legend } from "../ui/legend.tsx";
import { Notice } from "../ui/notice.tsx";
import { saveFile } from "../ui/save-file.ts";
import { Select } from "../ui/select.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useWidth } from "../ui/use-width.ts";
import { consoleApi, consoleKeys } from "./console-api.ts";
import { DriftSection } from "./drift-section.tsx";
import { Ledger } from "./ledger.tsx";
import { dollars } from "./outcome-words.ts";
import { writeCsv } from "./write-csv.ts";

const dayMs = 86_400_000;
const periods = [
  ["", "All that is remembered"],
  ["1", "Last day"],
  ["7", "Last week"],
  ["30", "Last 30 days"],
] as const;

export function SavingsPage() {
  const [days, setDays] = useState("");
  const savings = useQuery({
    queryKey: consoleKeys.savings(days),
    queryFn: () => consoleApi.savings(days === "" ? undefined : Date.now() - Number(days) * dayMs),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
    staleTime: 0,
  });
  const drift = useQuery({
    queryKey: consoleKeys.drift,
    queryFn: consoleApi.drift,
    refetchInterval: 10_000,
    staleTime: 0,
  });
  if (savings.isPending || drift.isPending) return <Spinner />;
  const failure = savings.error ?? drift.error;
  if (failure !== null || savings.data === undefined || drift.data === undefined) {
    return <Notice tone="error">{wordsOf(failure)}</Notice>;
  }
  const { total, byHour, byModel, since } = savings.data;
  if (total.requests === 0 && days === "") return <Notice>Nothing to add up yet: no request has come through.</Notice>;
  const removed = total.tokensBefore - total.tokensAfter;
  const summary = `${plural(total.requests, "request")} since ${formatTime(new Date(since).toISOString())}: ${formatCount(total.tokensBefore)} tokens received, ${formatCount(total.tokensAfter)} sent, ${formatCount(removed)} less.`;
  return (
    <>
      <label className="flex items-center gap-2 text-sm">
        Time
        <Select value={days} onChange={setDays} className="w-auto! text-sm" options={periods} />
      </label>
      <Ledger total={total} />
      <ChartFrame
        title="Tokens per hour"
        summary={summary}
        chart={<HourBars rows={byHour} label={`Tokens per hour. ${summary}`} />}
        legend={
          <Legend
            items={[
              { name: "sent", color: "var(--accent)" },
              { name: "folded away", color: "var(--fold-line)", look: "hatch" },
            ]}
          />
        }
        table={<HourTable rows={byHour} />}
      />
      <section aria-labelledby="by-model" className="space-y-2">
        <div className="flex items-center justify-between gap-3">
          <h2 id="by-model" className="font-semibold">
            By model
          </h2>
          <Button onClick={() => saveFile("midfold-savings.csv", "text/csv", writeCsv(savings.data))}>
            <DownloadIcon size={15} /> Download as CSV
          </Button>
        </div>
        <ModelTable rows={byModel} />
      </section>
      <DriftSection drift={drift.data} />
    </>
  );
}

const money = (row: SavingsRow, pick: (row: SavingsRow) => number | null) => {
  const value = pick(row);
  return row.priced === 0 || value === null ? "not known" : dollars(value);
};

const counts = [
  { name: "Requests", number: true, cell: (row: SavingsRow) => formatCount(row.requests) },
  { name: "Folded", number: true, cell: (row: SavingsRow) => formatCount(row.folded) },
  { name: "Received", number: true, cell: (row: SavingsRow) => formatCount(row.tokensBefore) },
  { name: "Sent", number: true, cell: (row: SavingsRow) => formatCount(row.tokensAfter) },
  { name: "From cache", number: true, cell: (row: SavingsRow) => formatCount(row.cached) },
] as const;

function HourTable({ rows }: { readonly rows: Savings["byHour"] }) {
  return (
    <DataTable
      caption="Requests and tokens, hour by hour"
      columns={[{ name: "Hour", cell: (row) => formatTime(new Date(row.at).toISOString()) }, ...counts]}
      rows={rows}
      keyOf={(row) => String(row.at)}
    />
  );
}

function ModelTable({ rows }: { readonly rows: Savings["byModel"] }) {
  return (
    <DataTable
      caption="Savings by model"
      hideCaption
      columns={[
        { name: "Model", cell: (row) => (row.model === "" ? <Badge>none</Badge> : row.model) },
        ...counts,
        { name: "Cost", number: true, cell: (row) => money(row, ({ costMicros }) => costMicros) },
        { name: "Saved, full price", number: true, cell: (row) => money(row, ({ savedMicros }) => savedMicros) },
        { name: "Cache re-write", number: true, cell: (row) => money(row, ({ rewriteMicros }) => rewriteMicros) },
      ]}
      rows={rows}
      keyOf={(row) => row.model}
    />
  );
}

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

/** Tokens received per hour, split into sent and folded ones. */
function HourBars({ rows, label }: HourBarsProps) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const last = rows.at(-1)?.at ?? 0;
  const first = Math.max(rows[0]?.at ?? 0, last - (maxHours - 1) * hourMs);
  const hours = Math.max(6, Math.round((last - first) / hourMs) + 1);
  const ticks = axisTicks(usualMost(rows.map(({ tokensBefore }) => tokensBefore)), 3);
  const most = ticks.at(-1) ?? 1;
  const step = (width - left) / hours;
  // A bar higher than the scale is cut at its top; its label has the value.
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
