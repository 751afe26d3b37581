import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { wordsOf } from "../api/api-error.ts";
import type { ConversationDetail, ConversationPoint } from "../api/types.gen.ts";
import { axisTicks } from "../ui/axis-ticks.ts";
import { Button } from "../ui/button.tsx";
import { ChartFrame } from "../ui/chart-frame.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { FactList } from "../ui/fact-list.tsx";
import { formatCount, formatTime, formatTokens, plural } from "../ui/format.ts";
import { Legend } from "../ui/legend.tsx";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { toast } from "../ui/toast.tsx";
import { useWidth } from "../ui/use-width.ts";
import { BreakdownView } from "./breakdown.tsx";
import { type ChangeByHand, consoleApi, consoleKeys } from "./console-api.ts";
import { clock, outcomeLabel } from "./outcome-words.ts";

export function ConversationPage({ id }: { readonly id: string }) {
  const found = useQuery({
    queryKey: consoleKeys.conversation(id),
    queryFn: () => consoleApi.getConversation(id),
    refetchInterval: 5_000,
  });
  if (found.isPending) return <Spinner />;
  if (found.error !== null) return <Notice tone="error">{wordsOf(found.error)}</Notice>;
  return <ConversationView conversation={found.data} />;
}

function ConversationView({ conversation }: { readonly conversation: ConversationDetail }) {
  const { series } = conversation;
  const received = series.reduce((sum, point) => sum + point.tokensBefore, 0);
  const sent = series.reduce((sum, point) => sum + point.tokensAfter, 0);
  const biggest = Math.max(0, ...series.map(({ tokensAfter }) => tokensAfter));
  const summary = `${plural(conversation.requests, "request")}, ${plural(conversation.folds, "fold")}. The largest request sent had ${formatCount(biggest)} tokens; the window is ${formatCount(conversation.window)}.`;
  return (
    <>
      <section aria-label="Conversation" className="space-y-3 rounded-2xl border border-line bg-surface p-4">
        <h2 className="font-semibold">
          {conversation.title ??
            `Conversation of ${conversation.client === "" ? "an unnamed client" : conversation.client} with ${conversation.model}`}
        </h2>
        {conversation.title !== null && (
          <p className="text-sm text-ink-soft">
            {conversation.client === "" ? "An unnamed client" : conversation.client} with {conversation.model}
          </p>
        )}
        <FactList
          facts={[
            [
              "Id",
              <code key="id" className="font-mono text-xs break-all">
                {conversation.id}
              </code>,
            ],
            ["From, to", `${formatTime(new Date(conversation.firstAt).toISOString())} – ${clock(conversation.lastAt)}`],
            ["Received in all", `${formatCount(received)} tokens`],
            [
              "Sent in all",
              `${formatCount(sent)} tokens, ${received === 0 ? 0 : Math.round(100 - (100 * sent) / received)}% less`,
            ],
          ]}
        />
        <Link
          to="/console"
          search={{ conversation: conversation.id } as never}
          className="text-sm text-accent underline underline-offset-2"
        >
          Its requests in the list
        </Link>
      </section>
      <ChartFrame
        title="Context size, request by request"
        summary={summary}
        chart={<SawTooth series={series} label={`Context size, request by request. ${summary}`} />}
        legend={
          <Legend
            items={[
              { name: "sent", color: "var(--accent)", look: "line" },
              { name: "received", color: "var(--fold-line)", look: "dash" },
              { name: "threshold (input budget)", color: "var(--warn)", look: "dash" },
              { name: "window", color: "var(--alarm)", look: "line" },
              { name: "▼ fold", color: "var(--cat-summary)" },
            ]}
          />
        }
        table={
          <DataTable
            caption="Size at every request, in tokens"
            columns={[
              {
                name: "Request",
                cell: (point) => (
                  <Link
                    to="/console/$"
                    params={{ _splat: `requests/${point.requestId}` }}
                    className="text-accent underline"
                  >
                    {clock(point.at)}
                  </Link>
                ),
              },
              { name: "Messages", number: true, cell: (point) => formatCount(point.messages) },
              { name: "Received", number: true, cell: (point) => formatCount(point.tokensBefore) },
              { name: "Sent", number: true, cell: (point) => formatCount(point.tokensAfter) },
              { name: "Threshold", number: true, cell: (point) => formatCount(point.budget) },
              { name: "Window", number: true, cell: (point) => formatCount(point.window) },
              {
                name: "From cache",
                number: true,
                cell: (point) => (point.cached === null ? "not known" : formatCount(point.cached)),
              },
              { name: "Fold", cell: (point) => outcomeLabel(point.outcome, point.state) },
            ]}
            rows={series}
            keyOf={(point) => point.requestId}
          />
        }
      />
      <ByHandSection conversation={conversation} />
    </>
  );
}

/** What a person can set for the conversation. It takes effect with its next request. */
function ByHandSection({ conversation }: { readonly conversation: ConversationDetail }) {
  const client = useQueryClient();
  const { id, byHand, capturedRequestId, series } = conversation;
  const change = useMutation({
    mutationFn: (wish: ChangeByHand) => consoleApi.changeConversation(id, wish),
    onSuccess: (now) =>
      client.setQueryData<ConversationDetail>(consoleKeys.conversation(id), (known) =>
        known === undefined ? known : { ...known, byHand: now },
      ),
    onError: (error) => toast({ title: "That could not be changed", detail: wordsOf(error), tone: "error" }),
  });
  const newest = series.at(-1);
  const isOver = newest !== undefined && newest.tokensBefore > newest.budget;
  const isFolded = newest?.outcome === "folded" || newest?.outcome === "reused";
  return (
    <section aria-labelledby="by-hand" className="space-y-3 rounded-2xl border border-line bg-surface p-4">
      <h2 id="by-hand" className="font-semibold">
        Decide by hand
      </h2>
      <p className="text-sm text-ink-soft">What you decide here takes effect with the next request of this client.</p>
      <div className="flex flex-wrap items-center gap-3 text-sm">
        {byHand.fold ? (
          <Button disabled={change.isPending} onClick={() => change.mutate({ fold: false })}>
            Undo: send it whole again
          </Button>
        ) : (
          <Button disabled={change.isPending || isFolded} onClick={() => change.mutate({ fold: true })}>
            Fold now
          </Button>
        )}
        <span className="min-w-0 flex-1 text-ink-soft">
          {isOver
            ? "It is larger than its budget, so it is folded in any case; it cannot be sent whole."
            : byHand.fold
              ? "It fits, and is sent folded because you asked for it."
              : "It fits, and is sent whole."}
        </span>
      </div>
      {capturedRequestId === null ? (
        <p className="text-sm text-ink-soft">
          To pin single messages or leave them out, their words must be kept: set{" "}
          <code className="font-mono">server.capture: true</code>.
        </p>
      ) : (
        <BreakdownView
          requestId={capturedRequestId}
          actions={({ index, mayLeaveOut }) => {
            if (index === undefined) return null;
            const pinned = byHand.pinned.includes(index);
            const leftOut = byHand.leftOut.includes(index);
            return (
              <span className="flex gap-1">
                <Button
                  kind="quiet"
                  disabled={change.isPending}
                  onClick={() => change.mutate({ message: index, pinned: !pinned })}
                >
                  {pinned ? "Unpin" : "Pin"} <span className="sr-only">message {index + 1}</span>
                </Button>
                <Button
                  kind="quiet"
                  disabled={change.isPending || (mayLeaveOut !== true && !leftOut)}
                  onClick={() => change.mutate({ message: index, leftOut: !leftOut })}
                >
                  {leftOut ? "Put back" : "Leave out"} <span className="sr-only">message {index + 1}</span>
                </Button>
              </span>
            );
          }}
        />
      )}
    </section>
  );
}

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
function SawTooth({ series, label }: SawToothProps) {
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
        <g fill="none" strokeWidth="1.5">
          <path d={path(({ window }) => window)} stroke="var(--alarm)" />
          <path d={path(({ budget }) => budget)} stroke="var(--warn)" strokeDasharray="6 4" />
          <path d={path(({ tokensBefore }) => tokensBefore)} stroke="var(--fold-line)" strokeDasharray="2 3" />
        </g>
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
            <title>{`Request ${index + 1}: ${formatCount(point.tokensBefore)} received, ${formatCount(point.tokensAfter)} sent, ${outcomeLabel(point.outcome, point.state)}`}</title>
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
