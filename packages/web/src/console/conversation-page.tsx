import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { wordsOf } from "../api/api-error.ts";
import type { ConversationDetail } from "../api/types.gen.ts";
import { ChartFrame } from "../ui/chart-frame.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { FactList } from "../ui/fact-list.tsx";
import { formatCount, formatTime, plural } from "../ui/format.ts";
import { Legend } from "../ui/legend.tsx";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { consoleApi, consoleKeys } from "./console-api.ts";
import { clock, outcomeLabels } from "./outcome-words.ts";
import { SawTooth } from "./saw-tooth.tsx";

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
          Conversation of {conversation.client === "" ? "an unnamed client" : conversation.client} with{" "}
          {conversation.model}
        </h2>
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
              { name: "Fold", cell: (point) => outcomeLabels[point.outcome] },
            ]}
            rows={series}
            keyOf={(point) => point.requestId}
          />
        }
      />
    </>
  );
}
