export type { LearnedLimit, RequestList, RequestSummary } from "./api/console-schemas.ts";
export type {
  ServerConfig,
  UpstreamConfig,
} from "./config/config.ts";
export { providerKinds } from "./config/config-schema.ts";
export { configSources } from "./config/config-sources.ts";
export type { Environment } from "./config/environment.ts";
export { type ConfigSource, loadConfig } from "./config/load-config.ts";
export { type ResolvedRoute, resolveRoute } from "./config/resolve-route.ts";
export { upstreamOf } from "./config/upstream-of.ts";
export { createServer } from "./create-server.ts";

export { createLogger } from "./observe/create-logger.ts";
export type { MidfoldServer } from "./server-options.ts";
