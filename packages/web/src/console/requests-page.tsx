import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { wordsOf } from "../api/api-error.ts";
import type { Overview } from "../api/types.gen.ts";
import { usualMost } from "../ui/axis-ticks.ts";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { formatCount, formatTime } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { toast } from "../ui/toast.tsx";
import { ConnectLines } from "./connect-lines.tsx";
import { consoleApi, consoleKeys } from "./console-api.ts";
import { RequestFilters } from "./request-filters.tsx";
import { RequestRow, rowColumns } from "./request-row.tsx";
import { StatusStrip } from "./status-strip.tsx";
import { noFilters, useFilters } from "./use-filters.ts";
import { useListKeys } from "./use-list-keys.ts";
import { useLiveRequests } from "./use-live-requests.ts";

export function RequestsPage() {
  const [filters, change] = useFilters();
  const overview = useQuery({ queryKey: consoleKeys.overview, queryFn: consoleApi.overview, staleTime: 0 });
  const live = useLiveRequests(filters);
  const newest = useQuery({
    queryKey: [...consoleKeys.overview, "last"],
    queryFn: () => consoleApi.listRequests({ limit: 1 }),
    staleTime: 0,
  });
  const isFiltered = Object.values(filters).some((value) => value !== "");
  const clear = useCallback(() => {
    if (isFiltered) change(noFilters);
  }, [isFiltered, change]);
  useListKeys(clear);
  if (overview.isPending || live.loading) return <Spinner />;
  const failure = overview.error ?? live.error;
  if (failure !== null || overview.data === undefined) return <Notice tone="error">{wordsOf(failure)}</Notice>;
  const last = [...live.items, ...(newest.data?.items ?? [])].sort((left, right) => right.at - left.at)[0];
  const scale = usualMost(live.items.map(({ fold }) => fold.tokensBefore));
  return (
    <>
      <StatusStrip overview={overview.data} last={last} connected={live.connected} />
      {last === undefined && <ConnectLines overview={overview.data} />}
      {(last !== undefined || isFiltered) && (
        <>
          <RequestFilters filters={filters} onChange={change} items={live.items}>
            <Button aria-pressed={live.paused} onClick={() => live.setPaused(!live.paused)}>
              {live.paused ? `Resume${live.waiting > 0 ? ` (${live.waiting} new)` : ""}` : "Pause"}
            </Button>
          </RequestFilters>
          <section aria-label="Requests" className="overflow-hidden rounded-2xl border border-line bg-surface">
            <div
              aria-hidden="true"
              className={`hidden border-b border-line bg-sunken px-4 py-2 text-xs font-medium text-ink-soft ${rowColumns}`}
            >
              <span>Time</span>
              <span>Client</span>
              <span>Model</span>
              <span>Received → sent, tokens</span>
              <span>Fold</span>
              <span className="text-right" title="What Midfold itself took before the first byte">
                Added
              </span>
              <span className="text-right">Took</span>
              <span className="text-right">Cost</span>
              <span className="text-right">From cache</span>
              <span className="text-right">Status</span>
            </div>
            {live.items.length === 0 ? (
              <p className="p-6 text-center text-sm text-ink-soft">No request matches these filters.</p>
            ) : (
              live.items.map((request) => <RequestRow key={request.id} request={request} scale={scale} />)
            )}
          </section>
          <p className="text-xs text-ink-soft">
            Keys: <kbd>j</kbd> and <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>/</kbd> searches, <kbd>Esc</kbd>{" "}
            clears. The newest 200 are shown; ~ marks an estimate.
          </p>
          <details className="text-sm">
            <summary className="text-ink-soft">Routes and learned windows</summary>
            <div className="mt-2">
              <RouteTables overview={overview.data} />
            </div>
          </details>
          <details className="text-sm">
            <summary className="text-ink-soft">How to connect a client</summary>
            <div className="mt-2">
              <ConnectLines overview={overview.data} />
            </div>
          </details>
        </>
      )}
    </>
  );
}

type LearnedLimit = Overview["learned"][number];

/** Which model goes where, and what the gateway has found out about the places. */
function RouteTables({ overview }: { readonly overview: Overview }) {
  const client = useQueryClient();
  const forget = useMutation({
    mutationFn: ({ upstream, model }: LearnedLimit) => consoleApi.forgetLearned({ upstream, model }),
    onSuccess: () => client.invalidateQueries({ queryKey: consoleKeys.overview }),
    onError: (error) => toast({ title: "It could not be forgotten", detail: wordsOf(error), tone: "error" }),
  });
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
        <p className="text-ink-soft">No window had to be learned from what a provider answered.</p>
      ) : (
        <DataTable
          caption="Windows learned from what providers answered, and why"
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
            { name: "Why", cell: (limit) => limit.evidence },
            { name: "Learned", cell: (limit) => formatTime(new Date(limit.learnedAt).toISOString()) },
            { name: "Tried again", cell: (limit) => formatTime(new Date(limit.expiresAt).toISOString()) },
            {
              name: "Forget",
              cell: (limit) => (
                <Button kind="quiet" disabled={forget.isPending} onClick={() => forget.mutate(limit)}>
                  Forget{" "}
                  <span className="sr-only">
                    the window of {limit.model} at {limit.upstream}
                  </span>
                </Button>
              ),
            },
          ]}
          rows={overview.learned}
          keyOf={(limit, index) => `${index}-${limit.model}`}
        />
      )}
    </div>
  );
}
