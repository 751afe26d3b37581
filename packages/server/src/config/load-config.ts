import { isMidfoldError, MidfoldError, type ModelOverride } from "@midfold/core";
import { parseTrigger } from "@midfold/core/budget";
import { namesItsAddress } from "@midfold/wire";
import { LineCounter, parseDocument } from "yaml";
import type {
  CompactSettings,
  FoldSettings,
  RouteConfig,
  ServerConfig,
  ServerSettings,
  UpstreamConfig,
} from "./config.ts";
import { type ConfigProblem, type ConfigText, configError, explainIssue, lineOf } from "./config-problem.ts";
import { type ConfigInput, configSchema, type RouteInput, type UpstreamInput } from "./config-schema.ts";
import {
  type Environment,
  type EnvironmentSettings,
  ownKeys,
  readEnvironment,
  readVariable,
  zeroConfig,
} from "./environment.ts";
import type { CompactInput, FoldInput } from "./fold-schema.ts";
import { providerDefaults } from "./provider-defaults.ts";
import { createSecret } from "./secret.ts";

export interface ConfigSource {
  /** For messages. */
  readonly file: string;
  readonly text: string;
}

/**
 * The whole configuration from a file's text, if there is one, and the environment. Pure: reads neither disk nor
 * process. Throws INVALID_CONFIG naming file, line and remedy; several problems are reported together.
 */
export function loadConfig(source: ConfigSource | undefined, env: Environment): ServerConfig {
  const file = source?.file ?? "environment";
  const text = parseText(source);
  const input = parseInput(file, text);
  const environment = readEnvironment(env);
  const problems: ConfigProblem[] = [];
  /** Collects the problems of one place, so that all are reported at once. */
  const at = <TValue>(path: readonly (string | number)[], work: () => TValue): TValue | undefined => {
    try {
      return work();
    } catch (error) {
      if (!isMidfoldError(error)) throw error;
      problems.push({ line: lineOf(path, text), message: error.message });
      return undefined;
    }
  };

  const offered = input.routes === undefined ? zeroConfig(env) : undefined;
  const upstreams: Record<string, UpstreamConfig> = {};
  const addUpstream = (
    name: string,
    path: readonly (string | number)[],
    value: Parameters<typeof completeUpstream>[1],
  ) => {
    const complete = at(path, () => completeUpstream(name, value, env));
    if (complete !== undefined) upstreams[name] = complete;
  };
  for (const [name, value] of Object.entries({ ...offered?.upstreams, ...input.upstreams })) {
    addUpstream(name, ["upstreams", name], value);
  }

  const top = input.compact === undefined ? input.fold : { compact: input.compact, ...input.fold };
  const fold = completeFold([top, environment.fold], environment.disabled);
  const routes = (input.routes ?? offered?.routes ?? []).map((route, index): RouteConfig => {
    const path = ["routes", index, "upstream"] as const;
    if (typeof route.upstream !== "string") addUpstream(route.model, path, route.upstream);
    const upstream = typeof route.upstream === "string" ? route.upstream : route.model;
    at(path, () => assertUpstream(upstream, upstreams, problems.length > 0));
    const complete = completeFold([top, environment.fold, route], environment.disabled);
    if (route.trigger !== undefined) at(["routes", index, "trigger"], () => assertTrigger(complete));
    return toRoute(route, upstream, complete);
  });
  at(["fold", "trigger"], () => assertTrigger(fold));
  const server = toServer(input, environment);
  at(["server", "host"], () => assertReach(server));
  for (const upstream of Object.values(upstreams)) {
    at(["upstreams", upstream.name], () => assertElsewhere(upstream, server.host, server.port));
  }
  if (problems.length > 0) throw configError(file, problems);
  return {
    server,
    upstreams,
    routes,
    fold,
    models: input.models as ServerConfig["models"],
    chat: input.chat,
    warnings: warningsFor(environment, upstreams, routes),
  };
}

function parseText(source: ConfigSource | undefined): ConfigText {
  const lines = new LineCounter();
  const document = parseDocument(source?.text ?? "", { lineCounter: lines, uniqueKeys: true, merge: true });
  if (document.errors.length > 0) {
    throw configError(
      source?.file ?? "environment",
      document.errors.map((error) => ({
        line: lines.linePos(error.pos[0]).line,
        message: `This is not valid YAML: ${error.message.split("\n")[0]}`,
      })),
    );
  }
  return { document, lines };
}

function parseInput(file: string, text: ConfigText): ConfigInput {
  // A file of comments only is an empty configuration.
  const parsed = configSchema.safeParse(toValue(file, text) ?? {});
  if (parsed.success) return parsed.data;
  throw configError(
    file,
    parsed.error.issues.flatMap((issue) => explainIssue(issue, text, configSchema)),
  );
}

function toValue(file: string, text: ConfigText): unknown {
  try {
    return text.document.toJS({ maxAliasCount: 50 });
  } catch (error) {
    throw configError(file, [{ message: `This is not usable YAML: ${(error as Error).message}.` }]);
  }
}

function toServer({ server }: ConfigInput, environment: EnvironmentSettings): ServerSettings {
  return {
    ...server,
    host: environment.host ?? server.host ?? "127.0.0.1",
    port: environment.port ?? server.port ?? 4141,
    keys: server.keys ?? "none",
    database: environment.database ?? server.database ?? "sqlite:midfold.db",
  };
}

function toRoute(route: RouteInput, upstream: string, fold: FoldSettings): RouteConfig {
  const override: ModelOverride = {
    ...(route.window === undefined ? {} : { window: route.window }),
    ...(route.maxOutput === undefined ? {} : { maxOutput: route.maxOutput }),
    ...(route.countAs === undefined ? {} : { countAs: route.countAs }),
  };
  const { model, aliases, upstreamModel } = route;
  return { model, aliases, upstream, upstreamModel, fold, override };
}

function assertUpstream(name: string, upstreams: Readonly<Record<string, UpstreamConfig>>, already: boolean): void {
  if (Object.hasOwn(upstreams, name) || already) return;
  const known = Object.keys(upstreams);
  throw new MidfoldError(
    "INVALID_CONFIG",
    `There is no upstream "${name}". ${known.length === 0 ? "Describe it under upstreams." : `Known: ${known.join(", ")}.`}`,
  );
}

function assertTrigger({ trigger }: FoldSettings): void {
  // The window is only known per model; any value will do to check the syntax.
  if (trigger !== undefined) parseTrigger(trigger, 1_000_000);
}

/** A server that forwards to itself would send itself requests until it is overloaded. */
export function assertElsewhere({ name, baseUrl }: UpstreamConfig, host: string, port: number): void {
  const url = new URL(baseUrl);
  const at = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const here = /^(127\.|\[?::1\]?$|\[?::\]?$|localhost$|0\.0\.0\.0$)/.test(url.hostname) || url.hostname === host;
  if (!here || at !== port || port === 0) return;
  throw new MidfoldError(
    "INVALID_CONFIG",
    `The upstream "${name}" is this server itself (${baseUrl}). Set its base URL to the provider's, or unset ` +
      "ANTHROPIC_BASE_URL and OPENAI_BASE_URL where Midfold is started: they are meant for its clients.",
  );
}

/** Without keys, whoever reaches the server can spend money of its accounts, so only this machine may reach it. */
function assertReach({ host, keys }: ServerSettings): void {
  if (keys === "required" || (namesItsAddress(host) && /^(127\.|\[?::1\]?$|localhost)/.test(host))) return;
  throw new MidfoldError(
    "INVALID_CONFIG",
    `The server would listen on ${host} without keys. Set server.keys to required, or server.host to 127.0.0.1.`,
  );
}

/** Whether the server itself can use the upstream: not the demo, and not one that needs its callers' keys. */
function isOwn(upstream: UpstreamConfig | undefined): boolean {
  return upstream !== undefined && upstream.provider !== "demo" && upstream.credentials !== "passthrough";
}

function warningsFor(
  environment: EnvironmentSettings,
  upstreams: Readonly<Record<string, UpstreamConfig>>,
  routes: readonly RouteConfig[],
): string[] {
  const warnings: string[] = [];
  if (environment.disabled) {
    warnings.push(
      "Context compression is disabled by DISABLE_CONTEXT_COMPRESSION: requests that are too long will fail upstream.",
    );
  }
  if (routes.every((route) => !isOwn(upstreams[route.upstream]))) {
    warnings.push(
      "No provider is configured: callers' own keys are passed on where a route says so, and the demo model answers as midfold-demo. Set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY.",
    );
  }
  for (const upstream of Object.values(upstreams)) {
    const { protocol, hostname } = new URL(upstream.baseUrl);
    if (protocol === "http:" && upstream.apiKey !== undefined && !namesItsAddress(hostname)) {
      warnings.push(`The key of upstream "${upstream.name}" travels unencrypted: its base URL is not https.`);
    }
  }
  return warnings;
}

/** The documented defaults. */
const defaults = { enabled: true, strategy: "middle-out", headPercent: 20, tools: "clip" } as const;

/** Merges settings, later ones overriding earlier ones, and adds the defaults. */
function completeFold(layers: readonly FoldInput[], disabled: boolean): FoldSettings {
  const pick = <TField extends keyof FoldInput>(field: TField): FoldInput[TField] =>
    layers.findLast((layer) => layer[field] !== undefined)?.[field];
  const compact = pick("compact");
  return {
    enabled: !disabled && (pick("enabled") ?? defaults.enabled),
    // A compact block without a preset uses the preset of that name.
    preset: pick("preset") ?? (compact === undefined ? "proxy" : "compact"),
    strategy: pick("strategy") ?? defaults.strategy,
    headPercent: pick("headPercent") ?? defaults.headPercent,
    tools: pick("tools") ?? defaults.tools,
    clipNewResults: pick("clipNewResults"),
    ladder: pick("ladder"),
    trigger: pick("trigger") as FoldSettings["trigger"],
    compact: compact === undefined ? undefined : toCompact(compact),
  };
}

function toCompact(input: CompactInput): CompactSettings {
  return {
    maxTokens: input.max_tokens,
    tokenThreshold: input.token_threshold ?? undefined,
    messageThreshold: input.message_threshold ?? undefined,
    turnThreshold: input.turn_threshold ?? undefined,
    retentionWindow: input.retention_window,
    model: input.model,
    prompt: input.prompt,
    summaryTag: input.summary_tag,
  };
}

/** Adds what the provider's name implies and reads the key. */
function completeUpstream(name: string, input: UpstreamInput, env: Environment): UpstreamConfig {
  const provider = providerDefaults[input.provider];
  const baseUrl = input.baseUrl === undefined ? provider.baseUrl : expand(input.baseUrl, env);
  if (baseUrl === undefined || !URL.canParse(baseUrl)) {
    throw problem(name, baseUrl === undefined ? "needs a baseUrl." : `has a baseUrl that is no address: ${baseUrl}`);
  }
  const url = new URL(baseUrl);
  if (url.username !== "" || url.password !== "" || url.search !== "") {
    throw problem(name, "has a key or a query in its baseUrl. Use apiKeyEnv or headers instead.");
  }
  const keyless = ownKeys.has(input.provider) ? "optional" : "none";
  const credentials = input.credentials ?? (input.apiKeyEnv === undefined ? keyless : "managed");
  const key = input.apiKeyEnv === undefined ? undefined : readVariable(env, input.apiKeyEnv);
  if (credentials === "managed" && key === undefined) {
    throw problem(
      name,
      `needs a key: ${input.apiKeyEnv === undefined ? "name its variable in apiKeyEnv." : `set the environment variable ${input.apiKeyEnv}.`}`,
    );
  }
  const protocols = input.protocol === undefined ? provider.protocols : [input.protocol].flat();
  return {
    name,
    provider: input.provider,
    protocols: protocols as unknown as UpstreamConfig["protocols"],
    baseUrl,
    credentials,
    apiKeyEnv: input.apiKeyEnv,
    apiKey: credentials === "managed" && key !== undefined ? createSecret(key) : undefined,
    headers: {
      ...provider.headers,
      ...Object.fromEntries(
        Object.entries(input.headers).map(([header, value]) => [header.toLowerCase(), expand(value, env)]),
      ),
    },
    privateNetwork: input.privateNetwork,
    deadlines: input.deadlines as UpstreamConfig["deadlines"],
  };
}

/** `${NAME}` stands for an environment variable. */
function expand(text: string, env: Environment): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => {
    const value = readVariable(env, variable);
    if (value === undefined)
      throw new MidfoldError("INVALID_CONFIG", `The environment variable ${variable} is not set.`);
    return value;
  });
}

function problem(name: string, why: string): MidfoldError {
  return new MidfoldError("INVALID_CONFIG", `The upstream "${name}" ${why}`);
}
