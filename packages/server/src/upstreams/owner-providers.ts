import { MidfoldError } from "@midfold/core";
import type { OpenProvider } from "@midfold/store";
import { type ModelEntry, namesItsAddress, type Protocol } from "@midfold/wire";
import type { ServerConfig, UpstreamConfig } from "../config/config.ts";
import { providerKinds } from "../config/config-schema.ts";
import { loadConfig } from "../config/load-config.ts";
import { matchModel } from "../config/match-model.ts";
import { providerDefaults } from "../config/provider-defaults.ts";
import type { Destination } from "./destination.ts";
import type { Destinations } from "./destinations.ts";

/** The providers that one owner has entered. Only that owner's requests go there. */
export interface OwnerProviders {
  /** The one named in a model such as `mine/gpt-4o`; the names of configured upstreams take precedence. */
  named(model: string, inbound: Protocol): Destination | undefined;
  /** The first one whose kind usually serves a model of this name. */
  usual(model: string, inbound: Protocol): Destination | undefined;
  /** The models they list, under names that lead to them. */
  list(): Promise<readonly ModelEntry[]>;
  close(): Promise<void>;
}

/** What is needed of a provider to send it requests. */
export type ProviderAccess = Pick<OpenProvider, "name" | "kind" | "baseUrl" | "key">;

export interface OwnerProvidersOptions {
  readonly config: ServerConfig;
  readonly open: (config: ServerConfig) => Destinations;
}

export const noProviders: OwnerProviders = {
  named: () => undefined,
  usual: () => undefined,
  list: async () => [],
  close: async () => undefined,
};

/** Opens an owner's providers. One that cannot be used as stored is left out, so that the others still work. */
export function openOwnerProviders(
  providers: readonly ProviderAccess[],
  { config, open }: OwnerProvidersOptions,
): OwnerProviders {
  const own = providers.flatMap((provider) => {
    const settings = configFor(provider, config);
    const { models = [] } = providerDefaults[provider.kind as UpstreamConfig["provider"]] ?? {};
    return settings === undefined ? [] : [{ name: provider.name, models, destinations: open(settings) }];
  });
  if (own.length === 0) return noProviders;
  return {
    named: (model, inbound) => {
      const found = own.find(({ name }) => model.startsWith(`${name}/`) && !Object.hasOwn(config.upstreams, name));
      return found?.destinations.find(model, inbound);
    },
    usual: (model, inbound) => {
      const found = own.find(({ models }) => models.some((pattern) => matchModel(pattern, model) !== undefined));
      return found?.destinations.find(model, inbound);
    },
    list: async () => {
      const lists = own.map(async ({ name, destinations }) =>
        (await destinations.list()).map((entry) => ({ ...entry, id: `${name}/${entry.id}`, ownedBy: name })),
      );
      return (await Promise.all(lists)).flat();
    },
    close: async () => {
      await Promise.all(own.map(({ destinations }) => destinations.close()));
    },
  };
}

/** The configuration of a server that has this provider and no other. */
function configFor({ name, kind, baseUrl, key }: ProviderAccess, base: ServerConfig): ServerConfig | undefined {
  const upstream = {
    provider: kind,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(key === undefined ? { credentials: "none" } : { apiKeyEnv: "KEY" }),
  };
  const { models = [] } = providerDefaults[kind as UpstreamConfig["provider"]] ?? {};
  const routes = [`${name}/*`, ...models].map((model) => ({
    model,
    upstream: name,
    ...(model === `${name}/*` ? { upstreamModel: "*" } : {}),
  }));
  const text = JSON.stringify({ upstreams: { [name]: upstream }, routes });
  try {
    const { upstreams, routes: own } = loadConfig({ file: "provider", text }, { KEY: key });
    return { ...base, upstreams, routes: own.map((route) => ({ ...route, fold: base.fold })) };
  } catch {
    return undefined;
  }
}

const nameForm = /^[a-z0-9][a-z0-9._-]{0,39}$/i;

/** Throws VALIDATION_ERROR, saying what to change, for a provider that cannot or must not be used. */
export function assertProvider(
  provider: Omit<ProviderAccess, "key">,
  { admin, config }: { readonly admin: boolean; readonly config: ServerConfig },
): void {
  const { name, kind, baseUrl } = provider;
  if (!nameForm.test(name)) throw invalid("name", "A name has letters, digits, dots and dashes, 40 at most.");
  if (Object.hasOwn(config.upstreams, name)) {
    throw invalid("name", `The server's configuration has an upstream "${name}" already. Choose another name.`);
  }
  if (kind === "demo" || !(providerKinds as readonly string[]).includes(kind)) {
    throw invalid("kind", `The kind is one of: ${providerKinds.filter((known) => known !== "demo").join(", ")}.`);
  }
  const address = baseUrl ?? providerDefaults[kind as UpstreamConfig["provider"]].baseUrl;
  if (address === undefined) throw invalid("baseUrl", `A provider of kind ${kind} needs its address.`);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "") {
    throw invalid("baseUrl", "The address must be http:// or https://, without a key or a query in it.");
  }
  // An administrator may use servers on the local network; a tenant must not be able to explore it.
  if (!admin && (url.protocol !== "https:" || namesItsAddress(url.hostname))) {
    throw invalid("baseUrl", "The address must be https:// and a public name. Only an administrator may enter others.");
  }
}

function invalid(field: string, message: string): MidfoldError {
  return new MidfoldError("VALIDATION_ERROR", message, { details: { field } });
}
