import type { Store } from "@midfold/store";
import type { Overview } from "../api/console-schemas.ts";
import type { ServerConfig } from "../config/config.ts";
import { gatewayRoutes } from "../endpoints/gateway-routes.ts";
import { learnedRoutes, listLearned } from "../endpoints/learned-limits.ts";
import type { Identity } from "../guard/identity.ts";
import { replyJson } from "../http/reply-json.ts";
import type { Metrics } from "../observe/create-metrics.ts";
import type { RequestLog } from "../requests/request-log.ts";
import type { RequestRecord } from "../requests/request-record.ts";
import { recallContent } from "../requests/stored-facts.ts";
import type { Route } from "../routing/create-site.ts";
import { runApp } from "../routing/run-app.ts";
import type { ServerOptions } from "../server-options.ts";
import type { Gateway } from "../turn/gateway.ts";
import type { Destinations } from "../upstreams/destinations.ts";
import type { Owners } from "../upstreams/owners.ts";
import { chatRoutes } from "./app-routes.ts";
import { consoleApp } from "./console-routes.ts";
import { describeApi } from "./describe-api.ts";
import { problemReply } from "./problem-reply.ts";
import { fileRoute } from "./serve-files.ts";

export interface SiteRoutesOptions {
  readonly gateway: Gateway;
  readonly options: ServerOptions;
  readonly isOpen: () => boolean;
  readonly startedAt: number;
  readonly openDestinations: (config: ServerConfig) => Destinations;
  /** What owners have entered; undefined without a store. */
  readonly owners?: Owners | undefined;
  /** Told of work that outlasts its request. */
  readonly onWork: (work: AbortController) => () => void;
}

/** Every route of the server. The last one takes what no other does. */
export function siteRoutes({
  gateway,
  options,
  isOpen,
  startedAt,
  openDestinations,
  owners,
  onWork,
}: SiteRoutesOptions): Route[] {
  const { store } = options;
  const version = options.version ?? "0.0.0";
  const apps = consoleApp({
    requests: gateway.requests,
    overview: (identity) => overviewOf(gateway, options, identity, startedAt),
    learnedRatios: (identity) => gateway.exchange.calibrations.list(identity.admin ? undefined : identity.tenant),
    counterOf: ({ tenant, model }) => gateway.exchange.calibrations.counterFor(tenant, model),
    byHand: gateway.byHand,
    readContent: async ({ tenant, id }) => {
      const requests = store?.of(tenant).requests;
      await requests?.flush();
      const content = await requests?.content(id);
      return content === undefined ? undefined : recallContent(content);
    },
  });
  return [
    ...gatewayRoutes(gateway),
    ...learnedRoutes(gateway, problemReply),
    ...statusRoutes({
      store,
      metrics: gateway.metrics,
      isOpen,
      now: () => performance.now(),
      openapi: () => describeApi(version),
    }),
    {
      methods: ["GET", "HEAD", "PATCH"],
      path: "/api/console/*",
      auth: "key",
      counts: false,
      encodeError: problemReply,
      handle: (request, { identity }) =>
        runApp(apps, request, {
          bindings: { identity },
          maxBodyBytes: gateway.settings.maxBodyBytes,
          load: gateway.load,
        }),
    },
    ...chatRoutes({ gateway, options, openDestinations, owners, onWork }),
    fileRoute(options.webFolder),
  ];
}

/** What concerns the whole server only administrators see; others see what they themselves did. */
function overviewOf(gateway: Gateway, options: ServerOptions, identity: Identity, startedAt: number): Overview {
  const totals = identity.admin ? gateway.requests.totals : totalsOf(gateway, identity);
  const routes = gateway.destinations.describe();
  return {
    version: options.version ?? "0.0.0",
    startedAt,
    now: gateway.now(),
    inFlight: identity.admin ? gateway.load.inFlight : ownOf(gateway.requests.running(), identity).length,
    requests: totals.requests,
    folded: totals.folded,
    failed: totals.failed,
    folding: gateway.settings.folding,
    capture: gateway.settings.capture,
    store: options.store === undefined ? null : (options.config.server.database.split(":")[0] ?? null),
    routes: routes.map((route) => (identity.admin ? route : { ...route, upstream: "" })),
    learned: listLearned(gateway, identity),
  };
}

function ownOf(records: Iterable<RequestRecord>, { tenant }: Identity): RequestRecord[] {
  return [...records].filter((record) => record.tenant === tenant);
}

/** Of the requests that are still remembered. */
function totalsOf({ requests }: Gateway, identity: Identity): RequestLog["totals"] {
  const own = ownOf(requests.records(), identity);
  return {
    requests: own.length,
    folded: own.filter(({ outcome }) => outcome === "folded" || outcome === "reused").length,
    failed: own.filter(({ state }) => state === "failed").length,
  };
}

interface StatusOptions {
  readonly store: Store | undefined;
  readonly metrics: Metrics;
  readonly isOpen: () => boolean;
  readonly now: () => number;
  readonly openapi: () => unknown;
}

const readinessMs = 1_000;
/** Whoever asks whether we are ready does not wait longer. */
const patienceMs = 2_000;

function late(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error("late")), patienceMs).unref();
  });
}

/** Health, readiness, metrics and the API's description. */
function statusRoutes(options: StatusOptions): Route[] {
  const ready = createReadiness(options);
  const open = { auth: "none", counts: false, encodeError: problemReply } as const;
  return [
    // Alive means: the event loop turns. It must not depend on anything that can be down elsewhere.
    { ...open, methods: ["GET", "HEAD"], path: "/healthz", handle: () => replyJson(200, { status: "ok" }) },
    { ...open, methods: ["GET", "HEAD"], path: "/health", handle: () => replyJson(200, { status: "ok" }) },
    { ...open, methods: ["GET", "HEAD"], path: "/readyz", handle: ready },
    {
      methods: ["GET", "HEAD"],
      path: "/metrics",
      auth: "key",
      counts: false,
      encodeError: problemReply,
      handle: async () => ({
        status: 200,
        headers: { "content-type": options.metrics.contentType },
        body: await options.metrics.expose(),
      }),
    },
    { ...open, methods: ["GET", "HEAD"], path: "/openapi.json", handle: () => replyJson(200, options.openapi()) },
  ];
}

/** Ready means: taking requests, and the store answers. Asked at most once a second, however often the question comes. */
function createReadiness({ store, isOpen, now }: StatusOptions): () => Promise<ReturnType<typeof replyJson>> {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let storeState: Promise<"ok" | "unavailable" | "none"> = Promise.resolve("none");
  return async () => {
    if (store !== undefined && now() - checkedAt > readinessMs) {
      checkedAt = now();
      storeState = Promise.race([store.ping(), late()]).then(
        () => "ok" as const,
        () => "unavailable" as const,
      );
    }
    const state = await storeState;
    const ok = isOpen() && state !== "unavailable";
    return replyJson(ok ? 200 : 503, { status: ok ? "ready" : isOpen() ? "degraded" : "shutting down", store: state });
  };
}
