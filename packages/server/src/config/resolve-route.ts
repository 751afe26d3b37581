import { MidfoldError, type ModelInfo, resolveModel, type Warn } from "@midfold/core";
import type { FoldSettings, RouteConfig, ServerConfig, UpstreamConfig } from "./config.ts";
import { type ModelMatch, matchModel } from "./match-model.ts";

export interface ResolvedRoute {
  readonly route: RouteConfig;
  readonly upstream: UpstreamConfig;
  /** The name the upstream knows the model by. */
  readonly upstreamModel: string;
  readonly fold: FoldSettings;
  /** What is known about the upstream's model, overrides of the file and the route included. */
  readonly model: ModelInfo;
}

/** Where a request for this model goes. Throws NOT_FOUND, naming what is served, when no route takes it. */
export function resolveRoute(config: ServerConfig, model: string, warn?: Warn): ResolvedRoute {
  const best = findRoute(config, model);
  if (best === undefined) throw unserved(config, model);
  const { route, match } = best;
  const upstream = config.upstreams[route.upstream] as UpstreamConfig;
  const upstreamModel = upstreamModelOf(route, model, match);
  const overrides = { ...config.models };
  if (Object.keys(route.override).length > 0) {
    const key = upstreamModel.toLowerCase();
    overrides[key] = { ...overrides[key], ...route.override };
  }
  const info = resolveModel(upstreamModel, { overrides, ...(warn === undefined ? {} : { warn }) });
  return { route, upstream, upstreamModel, fold: route.fold, model: info };
}

interface FoundRoute {
  readonly route: RouteConfig;
  readonly match: ModelMatch;
}

/** The best matching route, without the model's facts, which take ten times as long to look up. */
export function findRoute({ routes }: ServerConfig, model: string): FoundRoute | undefined {
  let best: FoundRoute | undefined;
  for (const route of routes) {
    for (const pattern of [route.model, ...route.aliases]) {
      const match = matchModel(pattern, model);
      if (match !== undefined && match.rank > (best?.match.rank ?? -1)) best = { route, match };
    }
  }
  return best;
}

function upstreamModelOf(route: RouteConfig, model: string, match: ModelMatch): string {
  // An alias that is a whole name means the route's own model, if that is a whole name too.
  const target = route.upstreamModel ?? (route.model.includes("*") ? model : route.model);
  const captured = [...match.captured];
  return target.replaceAll("*", () => captured.shift() ?? model);
}

function unserved(config: ServerConfig, model: string): MidfoldError {
  const served = config.routes.flatMap((route) => [route.model, ...route.aliases]).slice(0, 20);
  return new MidfoldError(
    "NOT_FOUND",
    `No route serves the model "${model}". Served: ${served.join(", ") || "nothing"}. Add a route, or one for "*".`,
    { details: { model, served } },
  );
}
