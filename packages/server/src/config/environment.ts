import { MidfoldError } from "@midfold/core";
import type { z } from "zod";
import type { RouteInput, UpstreamInput } from "./config-schema.ts";
import { type FoldInput, headPercentSchema, presetSchema, strategySchema, toolsSchema } from "./fold-schema.ts";
import { providerDefaults } from "./provider-defaults.ts";

/** Environment variables, passed in: nothing here reads the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentSettings {
  readonly fold: FoldInput;
  /** Folding is off everywhere, whatever routes say. */
  readonly disabled: boolean;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly database?: string | undefined;
}

const truthy = /^(1|true|yes|on)$/i;

export function readEnvironment(env: Environment): EnvironmentSettings {
  const fold: FoldInput = {
    ...read(env, "MIDFOLD_PRESET", presetSchema, "preset"),
    ...read(env, "CONTEXT_COMPRESSION_STRATEGY", strategySchema, "strategy"),
    ...read(env, "CONTEXT_COMPRESSION_HEAD_PERCENT", headPercentSchema, "headPercent", Number),
    ...read(env, "CONTEXT_COMPRESSION_TOOLS", toolsSchema, "tools"),
  };
  const port = readVariable(env, "MIDFOLD_PORT") ?? readVariable(env, "PORT");
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
    throw invalid("MIDFOLD_PORT", `"${port}" is not a port. Write a number from 0 to 65535.`);
  }
  return {
    fold,
    disabled: truthy.test(readVariable(env, "DISABLE_CONTEXT_COMPRESSION") ?? ""),
    host: readVariable(env, "MIDFOLD_HOST"),
    port: port === undefined ? undefined : Number(port),
    database: readVariable(env, "MIDFOLD_DATABASE"),
  };
}

/** A variable's value; an empty one counts as not set. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name]?.trim() : undefined;
  return value === "" ? undefined : value;
}

function read(
  env: Environment,
  name: string,
  schema: z.ZodType,
  field: keyof FoldInput,
  convert = (text: string): unknown => text,
): FoldInput {
  const text = readVariable(env, name);
  if (text === undefined) return {};
  const result = schema.safeParse(convert(text));
  if (result.success) return { [field]: result.data };
  const issue = result.error.issues[0];
  const expected =
    issue?.code === "invalid_value" ? `one of: ${issue.values.map(String).join(", ")}` : "a number from 0 to 90";
  throw invalid(name, `"${text}" is not usable. It must be ${expected}.`);
}

function invalid(name: string, why: string): MidfoldError {
  return new MidfoldError("INVALID_CONFIG", `Environment variable ${name}: ${why}`, { details: { variable: name } });
}

export interface ZeroConfig {
  readonly upstreams: Readonly<Record<string, UpstreamInput>>;
  readonly routes: readonly RouteInput[];
}

/** Providers whose clients send a key of their own. */
export const ownKeys: ReadonlySet<string> = new Set(["anthropic", "openai"]);

/**
 * The routes of a server without a configuration, from the usual variables. Without a key in the environment the
 * caller's own is passed on, as if Midfold were not there. The built-in demo model answers to its own names only.
 */
export function zeroConfig(env: Environment): ZeroConfig {
  const found: Partial<Record<"anthropic" | "openai" | "openrouter", UpstreamInput>> = {};
  const configured: string[] = [];
  const offer = (name: "anthropic" | "openai" | "openrouter", keyEnv: string, urlEnv?: string) => {
    const baseUrl = urlEnv === undefined ? undefined : readVariable(env, urlEnv);
    const hasKey = readVariable(env, keyEnv) !== undefined;
    const isConfigured = hasKey || baseUrl !== undefined;
    if (!isConfigured && !ownKeys.has(name)) return;
    if (isConfigured) configured.push(name);
    found[name] = {
      // Another server behind OpenAI's variables supports only the common part of the protocol.
      ...(baseUrl === undefined ? { provider: name } : { provider: name === "openai" ? "generic" : name, baseUrl }),
      ...(hasKey ? { apiKeyEnv: keyEnv } : {}),
      ...(hasKey ? {} : { credentials: isConfigured ? "optional" : "passthrough" }),
      headers: {},
      privateNetwork: false,
      deadlines: {},
    };
  };
  offer("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL");
  offer("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL");
  offer("openrouter", "OPENROUTER_API_KEY");

  const route = (model: string, upstream: string, upstreamModel?: string, aliases: string[] = []): RouteInput => ({
    model,
    aliases,
    upstream,
    ...(upstreamModel === undefined ? {} : { upstreamModel }),
  });
  const substitute = readVariable(env, "MIDFOLD_MODEL");
  const routes = [route("midfold-demo", "demo", undefined, ["midfold-demo-*"])];
  // Unknown names go to a configured provider, the most compatible first.
  const rest = ["openai", "openrouter", "anthropic"].find((name) => configured.includes(name));
  if (substitute !== undefined) {
    routes.push(route("*", substituteAt(substitute, configured) ?? rest ?? "openai", substitute));
  } else {
    // A single configured provider serves every name; a caller's own key goes to the provider whose model was
    // requested.
    const serves = (name: string) => configured.length === 0 || configured.includes(name);
    for (const name of ["anthropic", "openai", "openrouter"] as const) {
      const [model, ...aliases] = providerDefaults[name].models ?? [];
      if (found[name] !== undefined && model !== undefined && serves(name)) {
        routes.push(route(model, name, undefined, aliases));
      }
    }
    if (rest !== undefined) routes.push(route("*", rest));
  }
  const used = new Set(routes.map(({ upstream }) => upstream));
  const demo: UpstreamInput = { provider: "demo", headers: {}, privateNetwork: false, deadlines: {} };
  const upstreams = Object.fromEntries(Object.entries(found).filter(([name]) => used.has(name)));
  return { upstreams: { ...upstreams, demo }, routes };
}

/** The configured provider that a model's name belongs to, if any. */
function substituteAt(model: string, configured: readonly string[]): string | undefined {
  // Naming the demo model makes it answer to every name, to try Midfold without a key.
  if (/^midfold-demo(-\d{1,4}k)?$/.test(model)) return "demo";
  const home = model.startsWith("claude-") ? "anthropic" : model.includes("/") ? "openrouter" : undefined;
  return home !== undefined && configured.includes(home) ? home : undefined;
}
