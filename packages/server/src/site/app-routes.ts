import type { Operation } from "../api/operation.ts";
import { operations } from "../api/operations.ts";
import { createChatRoutes } from "../chat/create-chat-routes.ts";
import type { Caller } from "../chat/http/handler.ts";
import { createChatModels } from "../chat/models/create-chat-models.ts";
import type { Identity } from "../guard/identity.ts";
import { readJsonBody } from "../json/read-json-body.ts";
import { createValueMemo } from "../json/value-memo.ts";
import type { Route } from "../routing/create-site.ts";
import { runApp } from "../routing/run-app.ts";
import type { ServerOptions } from "../server-options.ts";
import { parseElsewhere } from "../threads/tasks.ts";
import type { Gateway } from "../turn/gateway.ts";
import type { Destinations } from "../upstreams/destinations.ts";
import type { Owners } from "../upstreams/owners.ts";
import { problemReply } from "./problem-reply.ts";

export interface ChatRouteOptions {
  readonly gateway: Gateway;
  readonly options: ServerOptions;
  /** Destinations of another configuration, for keys entered in the browser. */
  readonly openDestinations: (config: ServerOptions["config"]) => Destinations;
  /** What owners have entered, for gateway and chat alike. */
  readonly owners?: Owners | undefined;
  readonly onWork: (work: AbortController) => () => void;
}

const counted = Object.values<Operation>(operations)
  .filter((operation) => operation.counts === true)
  .map(({ method, path }) => ({
    method: method.toUpperCase(),
    path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));

/** Whether the key's limits on requests apply, as they do to the gateway's own. */
function counts(method: string, path: string): boolean {
  return counted.some((operation) => operation.method === method && operation.path.test(path));
}

/** Who asks, as far as the chat needs to know. */
function callerOf(identity: Identity, { keys }: Gateway): Caller {
  return {
    admin: identity.admin,
    keyId: identity.keyId,
    reserveTokens: (tokens) => keys.reserveTokens(identity, tokens),
  };
}

/** Nothing the chat accepts has more: its long bodies are files as one text, or a long message. */
const maxValues = 100_000;
/** These bodies are not sent again, so nothing is remembered. */
const nothingRemembered = createValueMemo(0);

async function readLong({ settings, threads }: Gateway, bytes: Uint8Array, signal: AbortSignal): Promise<unknown> {
  const options = { maxDepth: settings.maxDepth, maxValues, memo: nothingRemembered, signal };
  return (await readJsonBody(bytes, { ...options, elsewhere: parseElsewhere(threads, signal) })).value;
}

/** The chat API below `/api`; needs a store. */
export function chatRoutes({ gateway, options, openDestinations, owners, onWork }: ChatRouteOptions): Route[] {
  const { store, config } = options;
  if (store === undefined) return [];
  const app = createChatRoutes({
    store,
    models: createChatModels({
      config,
      destinations: gateway.destinations,
      open: openDestinations,
      ...(owners === undefined ? {} : { owners }),
    }),
    log: gateway.log,
    exchange: gateway.exchange,
    // The configuration may be read again while the server runs.
    get config() {
      return config.chat;
    },
    get modelOverrides() {
      return config.models;
    },
    now: gateway.now,
    onWork,
    ...(options.version === undefined ? {} : { version: options.version }),
  });
  return [
    {
      methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
      path: "/api/*",
      auth: "key",
      counts: false,
      encodeError: problemReply,
      handle: async (request, { identity }) => {
        const path = request.path.slice("/api".length);
        const release = counts(request.method, path) ? gateway.keys.admit(identity).release : () => undefined;
        try {
          const reply = await runApp(
            app,
            { ...request, path },
            {
              bindings: { owner: identity.tenant, caller: callerOf(identity, gateway) },
              maxBodyBytes: gateway.settings.maxBodyBytes,
              load: gateway.load,
              readLong: (bytes, signal) => readLong(gateway, bytes, signal),
            },
          );
          return { ...reply, onEnd: release };
        } catch (error) {
          release();
          throw error;
        }
      },
    },
  ];
}
