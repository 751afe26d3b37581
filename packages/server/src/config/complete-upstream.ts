import { MidfoldError } from "@midfold/core";
import type { UpstreamConfig } from "./config.ts";
import type { UpstreamInput } from "./config-schema.ts";
import { type Environment, readVariable } from "./environment.ts";
import { providerDefaults } from "./provider-defaults.ts";
import { createSecret } from "./secret.ts";

/** Fills in what the provider's name implies and reads the key. */
export function completeUpstream(name: string, input: UpstreamInput, env: Environment): UpstreamConfig {
  const provider = providerDefaults[input.provider];
  const baseUrl = input.baseUrl === undefined ? provider.baseUrl : expand(input.baseUrl, env);
  if (baseUrl === undefined || !URL.canParse(baseUrl)) {
    throw problem(name, baseUrl === undefined ? "needs a baseUrl." : `has a baseUrl that is no address: ${baseUrl}`);
  }
  const url = new URL(baseUrl);
  if (url.username !== "" || url.password !== "" || url.search !== "") {
    throw problem(name, "has a key or a query in its baseUrl. Use apiKeyEnv or headers instead.");
  }
  const credentials = input.credentials ?? (input.apiKeyEnv === undefined ? "none" : "managed");
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
