import { MidfoldError } from "@midfold/core";
import { chatBudget } from "@midfold/core/budget";
import type { OwnerStore } from "@midfold/store";
import { createModelSummarizer, type ProtocolName, protocolPaths, protocols, readText } from "@midfold/wire";
import type { ProviderKey } from "../../api/keys.ts";
import type { ServerConfig, UpstreamConfig } from "../../config/config.ts";
import { demoModel, isDemoModel } from "../../demo/demo-window.ts";
import type { Destination } from "../../upstreams/destination.ts";
import type { Destinations } from "../../upstreams/destinations.ts";
import { assertProvider, openOwnerProviders } from "../../upstreams/owner-providers.ts";
import { createOwners, locateOwn, nothingEntered, type Own, type Owners } from "../../upstreams/owners.ts";
import type { ChatModel, ChatModels, ReplyRequest } from "./chat-models.ts";
import { writeBody } from "./reply-wire.ts";

export interface ChatModelsOptions {
  readonly config: ServerConfig;
  /** Where the gateway sends requests; the chat uses the same destinations. */
  readonly destinations: Destinations;
  /** Opens the destinations of a configuration, for the providers an owner enters. Absent: none can be entered. */
  readonly open?: (config: ServerConfig) => Destinations;
  /** What owners have entered, if the gateway uses it too. */
  readonly owners?: Owners;
}

const testDeadlines = { firstByte: 8_000, total: 12_000 };
const maxListBytes = 8 * 1024 * 1024;

/** The protocol the chat uses where an upstream offers several. */
const preferred: ProtocolName = "openai-chat";

/** In thousands of tokens: the example must fit a window of this size. */
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

/**
 * The chat's models: every route of the gateway, and for each owner those of the providers they entered, which no other
 * owner can use. A model named in the configuration takes precedence.
 */
export function createChatModels(options: ChatModelsOptions): ChatModels {
  const owners = options.owners ?? createOwners({ config: options.config, open: options.open });
  const of = async (store: OwnerStore): Promise<ChatModels> => {
    const own = await owners.of(store);
    return { ...createModels(options, own, () => owners.reread(own, store)), of };
  };
  return { ...createModels(options, nothingEntered(), async () => undefined), of };
}

function createModels(options: ChatModelsOptions, own: Own, reread: () => Promise<void>): Omit<ChatModels, "of"> {
  const { config, destinations } = options;
  const locate = (model: string): Destination => {
    const inbound = protocols[preferred];
    const mine = locateOwn(config, own, model, inbound);
    if (mine !== undefined) return mine;
    const found = destinations.find(model, inbound);
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
      const entries = [...(await destinations.list()), ...(await own.providers.list())];
      return entries.map(({ id, ownedBy, seesImages }) => ({
        id,
        provider: ownedBy ?? "",
        demo: isDemoModel(id),
        ...(seesImages === undefined ? {} : { seesImages }),
      }));
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
    keys: (admin) => describeKeys(config, own.entered, admin),
    assertProvider: (provider, admin) => assertProvider(provider, { admin, config }),
    async testProvider(provider) {
      if (options.open === undefined) throw new MidfoldError("NOT_FOUND", "Providers cannot be entered here.");
      const opened = openOwnerProviders([provider], { config, open: options.open });
      try {
        const destination = opened.named(`${provider.name}/model`, protocols[preferred]);
        if (destination === undefined)
          throw new MidfoldError("VALIDATION_ERROR", "It cannot be used as it is. Check its kind, address and key.");
        const { protocol } = destination;
        const path = protocolPaths[protocol.name].models;
        const response = await destination.send({ method: "GET", path, deadlines: testDeadlines }, undefined);
        const text = await readText(response.body, maxListBytes);
        const { status, headers } = response;
        if (status >= 300) throw protocol.decodeError({ status, body: text, headers });
        const models = await opened.list();
        if (models.length > 0)
          return models.map((entry) => ({ ...entry, id: entry.id.slice(provider.name.length + 1) }));
        throw new MidfoldError("UPSTREAM_BROKEN", "It answered, and lists no models. Is the address right to the end?");
      } finally {
        await opened.close();
      }
    },
    reread,
    async setKey(provider, key) {
      const known = offered.find((entry) => entry.provider === provider);
      if (known === undefined || options.open === undefined) {
        throw new MidfoldError(
          "NOT_FOUND",
          `A key for "${provider}" cannot be entered here. Set it in the configuration.`,
        );
      }
      if (key === null) own.entered.delete(provider);
      else own.entered.set(provider, key);
      await reread();
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

function reachable<TFound>(locate: () => TFound): TFound | undefined {
  try {
    return locate();
  } catch {
    return undefined;
  }
}

/** The first route with a named model; a server without any has the demo model. */
function firstModel(config: ServerConfig): string {
  const named = config.routes.find((route) => !route.model.includes("*") && !isDemoModel(route.model));
  return named?.model ?? demoModel;
}

function describeKeys(
  config: ServerConfig,
  entered: ReadonlyMap<string, string>,
  admin: boolean,
): readonly ProviderKey[] {
  const configured = Object.values(config.upstreams).filter(({ apiKey }) => apiKey !== undefined);
  const rows = offered.map(({ provider, label, variable }): ProviderKey => {
    const memory = entered.get(provider);
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
      hint: key === undefined || (memory === undefined && !admin) ? null : hintOf(key),
    };
  });
  const others = configured.filter(({ provider, apiKeyEnv }) =>
    offered.every((entry) => entry.provider !== provider && entry.variable !== apiKeyEnv),
  );
  return admin ? [...rows, ...others.map(toRow)] : rows;
}

function toRow({ name, apiKeyEnv, apiKey }: UpstreamConfig): ProviderKey {
  const hint = apiKey === undefined ? null : hintOf(apiKey.reveal());
  return { provider: name, label: name, variable: apiKeyEnv ?? "", configured: true, source: "config", hint };
}

/** As the store writes hints of the keys it keeps; not imported from there, since a server without a database never loads it. */
function hintOf(key: string): string {
  return key.length < 12 ? "…" : `…${key.slice(-4)}`;
}

const maxAnswerBytes = 64 * 1024;
const deadlines = { firstByte: 5_000, total: 8_000 };

/** Whether the provider can be asked how many tokens a request has. */
function canCount(destination: Destination): boolean {
  return destination.counts !== undefined || protocolPaths[destination.protocol.name].countTokens !== undefined;
}

/** The provider's own count of a request. Throws its refusal as the protocol's error. */
async function countUpstream(destination: Destination, request: ReplyRequest, signal: AbortSignal): Promise<number> {
  const { protocol, counts } = destination;
  if (counts !== undefined) {
    const { messages, tools } = request;
    return counts.count({ model: destination.model, messages, tools }, { timeoutMs: deadlines.total, signal });
  }
  const path = protocolPaths[protocol.name].countTokens;
  if (path === undefined) throw new MidfoldError("INTERNAL", `${protocol.name} has no endpoint for counting.`);
  const { body } = writeBody(destination, request);
  const { model, messages, system, tools } = protocol.body.fields;
  // Counting endpoints refuse fields that are not about the input.
  const wanted = [model, messages, system, tools].filter((field) => field !== undefined && field in body) as string[];
  const response = await destination.send(
    {
      method: "POST",
      path,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(Object.fromEntries(wanted.map((field) => [field, body[field]]))),
      signal,
      deadlines,
      repeatable: true,
    },
    undefined,
  );
  const text = await readText(response.body, maxAnswerBytes);
  if (response.status >= 300)
    throw protocol.decodeError({ status: response.status, body: text, headers: response.headers });
  return readCount(destination, text);
}

/** The answer has the form the protocol itself writes; its own writer shows where the number is. */
function readCount({ protocol }: Destination, text: string): number {
  const answer = JSON.parse(text) as Record<string, unknown>;
  const sample = protocol.encodeTokenCount(1) as Record<string, unknown>;
  const field = Object.keys(sample).find((name) => sample[name] === 1);
  const count = field === undefined ? undefined : answer[field];
  if (typeof count === "number" && Number.isFinite(count)) return count;
  throw new MidfoldError("UPSTREAM_BROKEN", "The provider's count is no number.");
}
