import { createChatRoutes } from "../chat/create-chat-routes.ts";
import { createChatModels } from "../chat/models/create-chat-models.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Route } from "../http/create-site.ts";
import { runApp } from "../http/run-app.ts";
import type { ServerOptions } from "../server-options.ts";
import type { Gateway } from "../turn/gateway.ts";
import type { Destinations } from "../upstreams/destinations.ts";
import { problemReply } from "./problem-reply.ts";

export interface ChatRouteOptions {
  readonly gateway: Gateway;
  readonly options: ServerOptions;
  /** Destinations of another configuration, for keys entered in the browser. */
  readonly openDestinations: (config: ServerOptions["config"]) => Destinations;
}

/** The chat API below `/api`; needs a store. */
export function chatRoutes({ gateway, options, openDestinations }: ChatRouteOptions): Route[] {
  const { store, config } = options;
  if (store === undefined) return [];
  const app = createChatRoutes({
    store,
    models: createChatModels({
      config,
      destinations: gateway.destinations,
      withKeys: (environment) => openDestinations(loadConfig(undefined, environment)),
    }),
    log: gateway.log,
    exchange: gateway.exchange,
    config: config.chat,
    modelOverrides: config.models,
    now: gateway.now,
    ...(options.version === undefined ? {} : { version: options.version }),
  });
  return [
    {
      methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
      path: "/api/*",
      auth: "key",
      counts: false,
      encodeError: problemReply,
      handle: (request, { identity }) =>
        runApp(
          app,
          { ...request, path: request.path.slice("/api".length) },
          {
            bindings: { owner: identity.tenant },
            maxBodyBytes: gateway.settings.maxBodyBytes,
          },
        ),
    },
  ];
}
