import type { OwnerStore } from "@midfold/store";
import type { Protocol } from "@midfold/wire";
import type { ServerConfig } from "../config/config.ts";
import { findRoute } from "../config/resolve-route.ts";
import type { Destination } from "./destination.ts";
import type { Destinations } from "./destinations.ts";
import { noProviders, type OwnerProviders, openOwnerProviders } from "./owner-providers.ts";

/** What one owner has entered: in the store, and in memory until the server stops. */
export interface Own {
  providers: OwnerProviders;
  /** Identifies these providers, to notice when they change. */
  version: string;
  readAt: number;
  /** Keys by provider. */
  readonly entered: Map<string, string>;
}

/** The providers of every owner, shared by gateway and chat. */
export interface Owners {
  /** What an owner has entered. With `soon` it may be a few seconds old, and is read again in the background. */
  of(store: OwnerStore, soon?: "soon"): Promise<Own> | Own;
  reread(own: Own, store: OwnerStore): Promise<void>;
}

export interface OwnersOptions {
  readonly config: ServerConfig;
  /** Opens the destinations of a configuration. Absent: no provider can be entered. */
  readonly open: ((config: ServerConfig) => Destinations) | undefined;
  /** Called when the store cannot be read in the background. */
  readonly onError?: (error: unknown) => void;
}

export const nothingEntered = (): Own => ({
  providers: noProviders,
  version: "[]",
  readAt: -Infinity,
  entered: new Map(),
});

/** Other replicas may change an owner's providers; looking them up for every request would be too slow. */
const rereadMs = 10_000;
const maxOwners = 5_000;

export function createOwners({ config, open, onError = () => undefined }: OwnersOptions): Owners {
  const owners = new Map<string, Own>();
  const ownOf = (owner: string): Own => {
    const known = owners.get(owner) ?? nothingEntered();
    if (!owners.has(owner) && owners.size >= maxOwners) forgetOne(owners);
    return owners.set(owner, known).get(owner) as Own;
  };
  const reread = async (own: Own, store: OwnerStore, unhurried = false): Promise<void> => {
    if (open === undefined) return;
    const usable = (await store.providers.open({ unhurried })).filter(({ keyLost }) => !keyLost);
    const names = new Set(usable.map(({ name }) => name));
    const typed = [...own.entered].flatMap(([kind, key]) =>
      names.has(kind) ? [] : [{ name: kind, kind, baseUrl: undefined, key }],
    );
    const version = JSON.stringify([...usable.map(({ name, updatedAt }) => [name, updatedAt]), ...typed]);
    own.readAt = performance.now();
    if (version === own.version) return;
    const before = own.providers;
    own.providers = openOwnerProviders([...usable, ...typed], { config, open });
    own.version = version;
    // Running answers may finish.
    before.close().catch(() => undefined);
  };
  return {
    of: (store, soon) => {
      const own = ownOf(store.owner);
      const isFirst = own.readAt === -Infinity;
      if (open === undefined || performance.now() - own.readAt <= rereadMs) return own;
      if (soon === undefined) return reread(own, store).then(() => own);
      own.readAt = performance.now();
      // Requests that the configuration can answer must not fail because the store is down.
      const read = reread(own, store, !isFirst).catch(onError);
      return isFirst ? read.then(() => own) : own;
    },
    reread,
  };
}

/**
 * Where an owner's own providers send a model: a provider's name in front of it decides, then a configured route that
 * names the model, then the provider that usually serves such a model. Undefined: as configured.
 */
export function locateOwn(
  config: ServerConfig,
  { providers }: Own,
  model: string,
  inbound: Protocol,
): Destination | undefined {
  // True for nearly every request, which then needs no further work.
  if (providers === noProviders) return undefined;
  return providers.named(model, inbound) ?? (isNamed(config, model) ? undefined : providers.usual(model, inbound));
}

/** Whether a route names this model or a pattern for it, other than a route for every model. */
function isNamed(config: ServerConfig, model: string): boolean {
  const route = findRoute(config, model)?.route;
  return route !== undefined && route.model !== "*" && config.upstreams[route.upstream]?.credentials !== "passthrough";
}

/** Keys that are only in memory are not dropped to make room. */
function forgetOne(owners: Map<string, Own>): void {
  for (const [owner, { entered, providers }] of owners) {
    if (entered.size > 0) continue;
    owners.delete(owner);
    providers.close().catch(() => undefined);
    return;
  }
}
