import { getCounter, type ModelInfo, resolveModel } from "@midfold/core";
import {
  createUpstreamClient,
  type ModelEntry,
  type Protocol,
  type ProtocolName,
  type ProviderCount,
  protocolPaths,
  protocols,
  traitsOf,
  type UpstreamClient,
  upstreamTraits,
} from "@midfold/wire";
import { LRUCache } from "lru-cache";
import type { FoldSettings, ServerConfig, UpstreamConfig } from "../config/config.ts";
import { providerDefaults } from "../config/provider-defaults.ts";
import { resolveRoute } from "../config/resolve-route.ts";
import { upstreamOf } from "../config/upstream-of.ts";
import { demoModel, demoWindow, isDemoModel } from "../demo/demo-window.ts";
import { type DemoDelay, sendToDemo } from "../demo/send-to-demo.ts";
import type { Destination } from "./destination.ts";
import type { Destinations } from "./destinations.ts";
import { createModelLists } from "./model-lists.ts";
import { presetFor } from "./preset-for.ts";

export interface DestinationsOptions {
  readonly config: ServerConfig;
  readonly client?: UpstreamClient;
  readonly newId: () => string;
  readonly now: () => number;
  readonly demoDelayMs: DemoDelay;
  readonly onListError: (upstream: string, error: unknown) => void;
}

const maxRemembered = 2_000;

/** The routes of the configuration, resolved once per model and protocol. */
export function createDestinations(options: DestinationsOptions): Destinations {
  const { config } = options;
  const client = options.client ?? createUpstreamClient({ deadlines: config.server.deadlines });
  const lists = createModelLists({ config, client, now: options.now, onError: options.onListError });
  const remembered = new LRUCache<string, Destination>({ max: maxRemembered });

  const resolve = (model: string, inbound: Protocol): Destination => {
    const { route, upstream, upstreamModel, fold, model: info } = resolveRoute(config, model);
    if (upstream.provider === "demo") {
      const name = isDemoModel(model) ? model : upstreamModel;
      return demoDestination(name, inbound, route.fold, demoWindow(name, route.override.window), options);
    }
    const protocol = protocols[choose(upstream, inbound)];
    const managed = upstream.credentials === "passthrough" ? undefined : upstreamOf(config, upstream);
    return {
      upstream: upstream.name,
      protocol,
      traits: traitsOf(upstream.provider),
      path: protocolPaths[protocol.name].answer,
      model: upstreamModel,
      countAs: route.override.countAs ?? countedAs(upstreamModel, traitsOf(upstream.provider).countAs),
      info,
      windowIsStated: route.override.window !== undefined || config.models[upstreamModel]?.window !== undefined,
      folding: fold.enabled,
      preset: presetFor(fold),
      compact: fold.compact,
      passThrough: upstream.credentials === "passthrough",
      counts: ownCount(upstream),
      send: (request, callerKey) => client.send(managed ?? upstreamOf(config, upstream, callerKey), request),
      listedWindow: () => lists.windowOf(upstream, upstreamModel),
    };
  };
  const find: Destinations["find"] = (model, inbound) => {
    const key = `${inbound.name}\n${model}`;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const found = resolve(model, inbound);
    remembered.set(key, found);
    return found;
  };
  return {
    find,
    findAny: (inbound) => {
      const served = config.routes.filter((route) => config.upstreams[route.upstream]?.provider !== "demo");
      const own = served.find((route) => config.upstreams[route.upstream]?.protocols.includes(inbound.name));
      const route = own ?? served[0];
      // Any name the route takes leads to its upstream.
      return route === undefined ? undefined : find(route.model.replaceAll("*", "any"), inbound);
    },
    list: () => listModels(config, lists),
    describe: () =>
      config.routes.map((route) => {
        const upstream = config.upstreams[route.upstream];
        return {
          model: route.model,
          upstream: route.upstream,
          protocol: upstream?.protocols.join(", ") ?? "",
          preset: presetFor(route.fold).name,
          window: route.override.window ?? null,
        };
      }),
    close: () => client.close(),
  };
}

/** The client's own protocol when the upstream speaks it, so that nothing has to be translated. */
function choose(upstream: UpstreamConfig, inbound: Protocol): ProtocolName {
  return upstream.protocols.includes(inbound.name) ? inbound.name : upstream.protocols[0];
}

function ownCount({ provider, apiKey, baseUrl }: UpstreamConfig): ProviderCount | undefined {
  return apiKey === undefined ? undefined : providerDefaults[provider].counts?.({ apiKey: apiKey.reveal(), baseUrl });
}

function demoDestination(
  model: string,
  inbound: Protocol,
  fold: FoldSettings,
  window: number,
  options: DestinationsOptions,
): Destination {
  const info: ModelInfo = {
    ...resolveModel("gpt-4o"),
    id: model,
    window,
    maxOutput: Math.min(4_096, window),
    known: true,
    prices: {},
  };
  return {
    upstream: "demo",
    demo: true,
    protocol: inbound,
    traits: upstreamTraits.generic,
    path: protocolPaths[inbound.name].answer,
    model,
    countAs: "gpt-4o",
    info,
    windowIsStated: true,
    folding: fold.enabled,
    preset: presetFor(fold),
    compact: fold.compact,
    passThrough: false,
    send: (request) =>
      sendToDemo(request, {
        protocol: inbound,
        window,
        delayMs: options.demoDelayMs,
        newId: options.newId,
        now: options.now,
      }),
    listedWindow: () => undefined,
  };
}

async function listModels(config: ServerConfig, lists: ReturnType<typeof createModelLists>): Promise<ModelEntry[]> {
  const entries = new Map<string, ModelEntry>();
  // All at once: one that does not answer must not hold the others up.
  const listed = await Promise.all(
    config.routes.map((route) => {
      const upstream = config.upstreams[route.upstream];
      const asks = upstream !== undefined && upstream.provider !== "demo" && route.model.includes("*");
      return asks ? lists.entriesOf(upstream) : [];
    }),
  );
  for (const [index, route] of config.routes.entries()) {
    if (config.upstreams[route.upstream]?.provider === "demo") {
      for (const name of [demoModel, `${demoModel}-8k`]) {
        entries.set(name, { id: name, ownedBy: "midfold", contextWindow: demoWindow(name), maxOutputTokens: 4_096 });
      }
    }
    for (const name of [route.model, ...route.aliases]) {
      if (name.includes("*") || isDemoModel(name)) continue;
      const { model: info } = resolveRoute(config, name);
      entries.set(name, entryOf(name, info, route.upstream));
    }
    for (const entry of listed[index] ?? []) entries.set(entry.id, entries.get(entry.id) ?? entry);
  }
  return [...entries.values()];
}

function entryOf(id: string, info: ModelInfo, ownedBy: string): ModelEntry {
  return { id, ownedBy, contextWindow: info.window, maxOutputTokens: info.maxOutput };
}

/** Counts by the model's name, unless the provider cannot be serving a model of that family. */
function countedAs(model: string, home: string | undefined): string {
  if (home === undefined) return model;
  const { exact, name } = getCounter(model);
  return exact || name === "approximate" ? home : model;
}
