import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback } from "react";
import { wordsOf } from "../api/api-error.ts";
import type { Overview, RequestSummary } from "../api/types.gen.ts";
import { usualMost } from "../ui/axis-ticks.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { formatCount, formatSeconds, formatTime } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { toast } from "../ui/toast.tsx";
import { consoleApi, consoleKeys } from "./console-api.ts";
import { clock, dollars, outcomeLabel, outcomeTone, whyOutcome } from "./outcome-words.ts";
import { RequestFilters } from "./request-filters.tsx";
import { SizeBar } from "./size-bar.tsx";
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

/** Which upstream each model is sent to, and the windows the gateway has learned. */
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

/** The columns of a row, shared with the headings. */
const rowColumns =
  "lg:grid lg:grid-cols-[5.5rem_minmax(5rem,0.9fr)_minmax(5rem,1fr)_minmax(10rem,1.6fr)_8rem_4.5rem_4.5rem_4.5rem_4.5rem_4.5rem] lg:items-center lg:gap-3";

interface RequestRowProps {
  readonly request: RequestSummary;
  /** The largest request shown, which fills the bar. */
  readonly scale: number;
}

function RequestRow({ request, scale }: RequestRowProps) {
  const { fold, timing, usage, state } = request;
  const cachedShare = usage === null || usage.input === 0 ? null : Math.round((100 * usage.cached) / usage.input);
  return (
    <Link
      to="/console/$"
      params={{ _splat: `requests/${request.id}` }}
      data-row
      className={`flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-4 py-2 text-sm first:border-t-0 hover:bg-sunken focus-visible:bg-sunken focus-visible:-outline-offset-2 ${rowColumns}`}
    >
      <span className="text-ink-soft tabular-nums">{clock(request.at)}</span>
      <span className="truncate font-medium">{request.client === "" ? "unnamed" : request.client}</span>
      <span className="truncate text-ink-soft" title={request.requestedModel}>
        {request.model === "" ? "–" : request.model}
      </span>
      <span className="w-full lg:w-auto">
        <SizeBar received={fold.tokensBefore} sent={fold.tokensAfter} scale={scale} exact={fold.exact} />
      </span>
      <span title={whyOutcome(request)}>
        <Badge tone={outcomeTone(fold.outcome)}>{outcomeLabel(fold.outcome, request.state)}</Badge>
      </span>
      <span className="text-right text-ink-soft tabular-nums">
        <span className="lg:sr-only">added </span>
        {formatSeconds(timing.overhead)}
      </span>
      <span className="text-right text-ink-soft tabular-nums">
        <span className="lg:sr-only">took </span>
        {state === "running" ? "–" : formatSeconds(timing.total)}
      </span>
      <span className="text-right text-ink-soft tabular-nums">
        <span className="lg:sr-only">cost </span>
        {request.costMicros === null ? "–" : dollars(request.costMicros)}
      </span>
      <span className="text-right text-ink-soft tabular-nums">
        <span className="lg:sr-only">from cache </span>
        {cachedShare === null ? "–" : `${cachedShare}%`}
      </span>
      <span
        className={`text-right tabular-nums ${state === "failed" ? "font-medium text-alarm-ink" : "text-ink-soft"}`}
      >
        {state === "running" ? "running…" : state === "cancelled" ? "stopped" : request.status}
      </span>
    </Link>
  );
}

/** Lines to paste so that a client goes through Midfold, with the address of this page. */
function linesFor(origin: string, model: string): readonly (readonly [client: string, line: string])[] {
  return [
    ["Claude Code", `ANTHROPIC_BASE_URL=${origin} ANTHROPIC_API_KEY=any claude`],
    [
      "Codex",
      `MIDFOLD_KEY=any codex -c model_provider=midfold -c 'model_providers.midfold={name="Midfold",base_url="${origin}/v1",env_key="MIDFOLD_KEY",wire_api="responses"}'`,
    ],
    [
      "OpenCode (opencode.json)",
      JSON.stringify({
        provider: {
          midfold: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${origin}/v1`, apiKey: "any" },
            models: { [model]: {} },
          },
        },
      }),
    ],
    ["Anthropic SDK", `new Anthropic({ baseURL: "${origin}", apiKey: "any" })`],
    ["OpenAI SDK", `new OpenAI({ baseURL: "${origin}/v1", apiKey: "any" })`],
    [
      "curl",
      `curl ${origin}/v1/chat/completions -H 'content-type: application/json' -d '{"model":"${model}","messages":[{"role":"user","content":"hello"}]}'`,
    ],
  ];
}

function ConnectLines({ overview }: { readonly overview: Overview }) {
  const model = overview.routes.find((route) => !route.model.includes("*"))?.model ?? "your-model";
  return (
    <section aria-labelledby="connect" className="rounded-2xl border border-line bg-surface p-4">
      <h2 id="connect" className="font-semibold">
        Send something through it
      </h2>
      <p className="mb-3 text-sm text-ink-soft">
        Point a client at this server by its base URL; nothing else changes. The request appears here at once. Where
        keys are required, put a client key (Settings, Keys) in place of “any”.
      </p>
      <ul className="space-y-2">
        {linesFor(location.origin, model).map(([client, line]) => (
          <li key={client} className="rounded-xl bg-sunken p-2.5 pl-3">
            <div className="flex items-center justify-between gap-3">
              <span className="text-sm font-medium">{client}</span>
              <CopyButton text={line} label={`Copy the line for ${client}`} />
            </div>
            <code className="block font-mono text-xs break-all">{line}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
