export type {
  CompactSettings,
  FoldSettings,
  RouteConfig,
  ServerConfig,
  ServerDeadlines,
  ServerLimits,
  ServerSettings,
  UpstreamConfig,
} from "./config/config.ts";
export type { Environment } from "./config/environment.ts";
export { type ConfigSource, loadConfig } from "./config/load-config.ts";
export { type ResolvedRoute, resolveRoute } from "./config/resolve-route.ts";
export { upstreamOf } from "./config/upstream-of.ts";
