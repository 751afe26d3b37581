import { chatBudget, MidfoldError, resolveModel } from "@midfold/core";
import { createModelSummarizer, type ProtocolName, protocols } from "@midfold/wire";
import type { ProviderKey } from "../../api/keys.ts";
import type { ServerConfig, UpstreamConfig } from "../../config/config.ts";
import { demoModel, isDemoModel } from "../../demo/demo-window.ts";
import type { Destination } from "../../upstreams/destination.ts";
import type { Destinations } from "../../upstreams/destinations.ts";
import type { ChatModel, ChatModels } from "./chat-models.ts";
import { canCount, countUpstream } from "./count-upstream.ts";
import { writeBody } from "./reply-wire.ts";

export interface ChatModelsOptions {
  readonly config: ServerConfig;
  /** Where the gateway sends requests; the chat goes the same ways. */
  readonly destinations: Destinations;
  /** Destinations of a server that has these keys in its environment: for keys a person enters in the browser. */
  readonly withKeys?: (environment: Readonly<Record<string, string>>) => Destinations;
}

/** The protocol the chat speaks where an upstream offers several. */
const preferred: ProtocolName = "openai-chat";

/** In thousands of tokens: an example that needs a larger window is no example. */
const largestExample = 32;

interface KnownProvider {
  readonly provider: string;
  readonly label: string;
  readonly variable: string;
}

/** Providers a newcomer may have a key for. */
const offered: readonly KnownProvider[] = [
  { provider: "openai", label: "OpenAI", variable: "OPENAI_API_KEY" },
  { provider: "anthropic", label: "Anthropic", variable: "ANTHROPIC_API_KEY" },
  { provider: "openrouter", label: "OpenRouter", variable: "OPENROUTER_API_KEY" },
];

/** The chat's models: every route of the gateway, and those that keys entered in the browser open. */
export function createChatModels(options: ChatModelsOptions): ChatModels {
  const { config, destinations } = options;
  const entered = new Map<string, { readonly key: string; readonly variable: string }>();
  let own: Destinations | undefined;

  const locate = (model: string): Destination => {
    const mine = own?.find(model, protocols[preferred]);
    // Their last route takes every name; a key for one provider must not draw the models of another to it.
    const isTheirs = mine?.upstream === resolveModel(model).provider || (mine !== undefined && model.includes("/"));
    if (mine !== undefined && mine.demo !== true && isTheirs) return mine;
    const found = destinations.find(model, protocols[preferred]);
    if (!found.passThrough) return found;
    throw new MidfoldError(
      "NOT_FOUND",
      `There is no key for "${model}". Enter one in the settings, or set it in the environment.`,
    );
  };

  return {
    get defaultModel() {
      return config.chat.defaultModel ?? firstModel(config);
    },
    exampleModel(tokens) {
      const sizes = Array.from({ length: largestExample }, (_, i) => largestExample - i);
      const size = sizes.find((k) => {
        const { window, maxOutput } = destinations.find(`${demoModel}-${k}k`, protocols[preferred]).info;
        return chatBudget({ window, maxOutput }).budget < tokens;
      });
      return `${demoModel}-${size ?? 1}k`;
    },
    find: (model) => toChatModel(model, locate(model)),
    async list() {
      const entries = [...(await destinations.list()), ...((await own?.list()) ?? [])];
      return entries.map(({ id, ownedBy }) => ({ id, provider: ownedBy ?? "", demo: isDemoModel(id) }));
    },
    summarizer(model, alternative) {
      const destination = reachable(() => locate(model));
      if (destination === undefined || destination.demo === true) return undefined;
      const other = alternative === undefined ? undefined : reachable(() => locate(alternative));
      const models: [string, ...string[]] = [destination.model];
      if (other !== undefined && other.upstream === destination.upstream) models.push(other.model);
      return createModelSummarizer({
        client: { send: (_, request) => destination.send(request, undefined), close: async () => undefined },
        upstream: { name: destination.upstream, baseUrl: "" },
        protocol: destination.protocol,
        traits: destination.traits,
        models,
      });
    },
    keys: () => describeKeys(config, entered),
    setKey(provider, key) {
      const known = offered.find((entry) => entry.provider === provider);
      if (known === undefined || options.withKeys === undefined) {
        throw new MidfoldError(
          "NOT_FOUND",
          `A key for "${provider}" cannot be entered here. Set it in the configuration.`,
        );
      }
      if (key === null) entered.delete(provider);
      else entered.set(provider, { key, variable: known.variable });
      void own?.close();
      own =
        entered.size === 0
          ? undefined
          : options.withKeys(Object.fromEntries([...entered.values()].map((entry) => [entry.variable, entry.key])));
    },
  };
}

function toChatModel(name: string, destination: Destination): ChatModel {
  const { info } = destination;
  const window = destination.windowIsStated ? info.window : destination.listedWindow();
  return {
    name,
    provider: destination.upstream,
    demo: destination.demo === true,
    countAs: destination.countAs,
    facts: {
      ...(window === undefined ? {} : { window }),
      ...(destination.windowIsStated ? { maxOutput: info.maxOutput } : {}),
    },
    ...(canCount(destination) && destination.demo !== true
      ? { countTokens: (request, signal) => countUpstream(destination, request, signal) }
      : {}),
    destination,
    body: (request) => ({ protocol: destination.protocol.name, body: writeBody(destination, request).body }),
  };
}

function reachable(locate: () => Destination): Destination | undefined {
  try {
    return locate();
  } catch {
    return undefined;
  }
}

/** The first route somebody named; a server without any has the demo model. */
function firstModel(config: ServerConfig): string {
  const named = config.routes.find((route) => !route.model.includes("*") && !isDemoModel(route.model));
  return named?.model ?? demoModel;
}

function describeKeys(
  config: ServerConfig,
  entered: ReadonlyMap<string, { readonly key: string; readonly variable: string }>,
): readonly ProviderKey[] {
  const configured = Object.values(config.upstreams).filter(({ apiKey }) => apiKey !== undefined);
  const rows = offered.map(({ provider, label, variable }): ProviderKey => {
    const memory = entered.get(provider)?.key;
    const upstream = configured.find(
      (candidate) => candidate.provider === provider || candidate.apiKeyEnv === variable,
    );
    const key = memory ?? upstream?.apiKey?.reveal();
    return {
      provider,
      label,
      variable: upstream?.apiKeyEnv ?? variable,
      configured: key !== undefined,
      source: memory !== undefined ? "memory" : upstream === undefined ? "none" : "config",
      hint: key === undefined ? null : hintOf(key),
    };
  });
  const others = configured.filter(({ provider, apiKeyEnv }) =>
    offered.every((entry) => entry.provider !== provider && entry.variable !== apiKeyEnv),
  );
  return [...rows, ...others.map(toRow)];
}

function toRow({ name, apiKeyEnv, apiKey }: UpstreamConfig): ProviderKey {
  const hint = apiKey === undefined ? null : hintOf(apiKey.reveal());
  return { provider: name, label: name, variable: apiKeyEnv ?? "", configured: true, source: "config", hint };
}

/** The last four characters, and nothing of keys too short to hide the rest. */
function hintOf(key: string): string {
  return key.length < 12 ? "…" : `…${key.slice(-4)}`;
}
