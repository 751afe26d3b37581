import type { Overview } from "../api/console-schemas.ts";
import type { ServerConfig } from "../config/config.ts";
import { gatewayRoutes } from "../endpoints/gateway-routes.ts";
import { learnedRoutes, listLearned } from "../endpoints/learned-limits.ts";
import type { Identity } from "../guard/identity.ts";
import type { Route } from "../http/create-site.ts";
import { runApp } from "../http/run-app.ts";
import type { ServerOptions } from "../server-options.ts";
import type { Gateway } from "../turn/gateway.ts";
import type { Destinations } from "../upstreams/destinations.ts";
import { chatRoutes } from "./app-routes.ts";
import { consoleApp } from "./console-routes.ts";
import { describeApi } from "./describe-api.ts";
import { problemReply } from "./problem-reply.ts";
import { fileRoute } from "./serve-files.ts";
import { statusRoutes } from "./status-routes.ts";

export interface SiteRoutesOptions {
  readonly gateway: Gateway;
  readonly options: ServerOptions;
  readonly isOpen: () => boolean;
  readonly startedAt: number;
  readonly openDestinations: (config: ServerConfig) => Destinations;
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
  onWork,
}: SiteRoutesOptions): Route[] {
  const { store } = options;
  const version = options.version ?? "0.0.0";
  const apps = consoleApp({
    requests: gateway.requests,
    overview: (identity) => overviewOf(gateway, options, identity, startedAt),
    learnedRatios: (identity) => gateway.exchange.calibrations.list(identity.admin ? undefined : identity.tenant),
    startedAt,
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
      methods: ["GET", "HEAD"],
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
    ...chatRoutes({ gateway, options, openDestinations, onWork }),
    fileRoute(options.webFolder),
  ];
}

function overviewOf(gateway: Gateway, options: ServerOptions, identity: Identity, startedAt: number): Overview {
  return {
    version: options.version ?? "0.0.0",
    startedAt,
    now: gateway.now(),
    inFlight: gateway.load.inFlight,
    requests: gateway.requests.totals.requests,
    folded: gateway.requests.totals.folded,
    failed: gateway.requests.totals.failed,
    folding: gateway.settings.folding,
    capture: gateway.settings.capture,
    store: options.store === undefined ? null : (options.config.server.database.split(":")[0] ?? null),
    routes: [...gateway.destinations.describe()],
    learned: listLearned(gateway, identity),
  };
}
