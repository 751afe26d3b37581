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
  /** Called for work that outlasts its request. */
  readonly onWork: (work: AbortController) => () => void;
}

/** Every route of the server. The last one takes everything else. */
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

/** Figures of the whole server are for administrators only; others see those of their own requests. */
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
/** A readiness check waits no longer than this for the store. */
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
    // Alive means that the event loop runs. This must not depend on anything outside the process.
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

/** Ready means: open for requests, and the store can be written. Checked at most once a second. */
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
