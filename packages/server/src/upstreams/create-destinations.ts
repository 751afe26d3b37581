import { getCounter, type ModelInfo, type Preset, presets, resolveModel } from "@midfold/core";
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
import { takesCallerKey, upstreamOf } from "../config/upstream-of.ts";
import { demoModel, demoWindow, isDemoModel } from "../demo/demo-window.ts";
import { type DemoDelay, sendToDemo } from "../demo/send-to-demo.ts";
import type { Destination } from "./destination.ts";
import type { Destinations } from "./destinations.ts";
import { createModelLists } from "./model-lists.ts";

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
    const managed = takesCallerKey(upstream) ? undefined : upstreamOf(config, upstream);
    // What a server gets at another address than its provider's is the key a client would have sent there itself.
    const isMeant = upstream.credentials === "passthrough" || makerOf(protocol.name) === makerOf(inbound.name);
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
      send: (request, callerKey) =>
        client.send(managed ?? upstreamOf(config, upstream, isMeant ? callerKey : undefined), request),
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
      // Any name that the route takes leads to its upstream.
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

/** Chat Completions and Responses are one maker's, and take the same keys. */
const makerOf = (protocol: ProtocolName) => protocol.split("-")[0];

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
  // It keeps no answers, so it speaks no protocol in which a client may refer to one: the gateway adds what is meant.
  const protocol = inbound.body.stored === undefined ? inbound : protocols["openai-chat"];
  return {
    upstream: "demo",
    demo: true,
    protocol,
    traits: upstreamTraits.generic,
    path: protocolPaths[protocol.name].answer,
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
        protocol,
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
  // All at once, so that one that does not answer does not delay the others.
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

/** Rungs that change or leave out what a tool returned. */
const touchesTools: ReadonlySet<string> = new Set([
  "repeated-results",
  "clip-results",
  "clip-newest",
  "fold-exchanges",
  "clip-oversized",
]);

/** The preset of a route, changed by its settings. */
export function presetFor(settings: FoldSettings): Preset {
  const base = presets[settings.preset];
  let preset: Preset = base;
  if (base.scope === "plain") preset = withStrategy(preset, settings);
  if (settings.tools === "fold") {
    preset = { ...preset, name: `${preset.name}+fold-tools`, scope: "all" };
  } else if (settings.tools === "preserve") {
    preset = {
      ...preset,
      name: `${preset.name}+preserve-tools`,
      scope: "plain",
      rungs: preset.rungs.filter((rung) => !touchesTools.has(rung)),
    };
  }
  if (settings.clipNewResults !== undefined && settings.tools !== "preserve") {
    preset = { ...preset, name: `${preset.name}+clip-new-results`, clipNewResults: settings.clipNewResults };
  }
  if (settings.ladder !== undefined) {
    preset = { ...preset, name: `${preset.name}+${settings.ladder.join("+")}`, rungs: settings.ladder };
  }
  if (settings.trigger !== undefined) preset = { ...preset, trigger: settings.trigger };
  return settings.compact === undefined ? preset : withCompact(preset, settings.compact);
}

/** The two documented strategies: keep both ends, or only the newest messages. */
function withStrategy(preset: Preset, { strategy, headPercent }: FoldSettings): Preset {
  if (strategy === "sliding-window") {
    return { ...preset, name: `${preset.name}/sliding-window`, head: {}, replace: "nothing" };
  }
  return headPercent === 20 ? preset : { ...preset, head: { percent: headPercent } };
}

/** The compact block: its own triggers beside the budget, its own retention, summaries written by a model. */
function withCompact(preset: Preset, compact: NonNullable<FoldSettings["compact"]>): Preset {
  const { trigger: own, ...rest } = preset;
  const trigger = {
    ...(compact.tokenThreshold === undefined ? {} : { tokens: compact.tokenThreshold }),
    ...(compact.messageThreshold === undefined ? {} : { messages: compact.messageThreshold }),
    ...(compact.turnThreshold === undefined ? {} : { turns: compact.turnThreshold }),
  };
  // The thresholds of the block replace all others: if each is null, only the budget starts a fold. Another preset than
  // `compact` keeps its own trigger then.
  const others = own === undefined || preset.scope === "assistant-spans" ? {} : { trigger: own };
  return {
    ...rest,
    name: `${preset.name}+compact`,
    ...(Object.keys(trigger).length === 0 ? others : { trigger }),
    tail: { ...preset.tail, messages: compact.retentionWindow },
    replace: "summary",
    maxFrameTokens: compact.maxTokens,
  };
}
