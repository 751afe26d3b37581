import type { Upstream } from "@midfold/wire";
import type { ServerConfig, UpstreamConfig } from "./config.ts";
import { providerDefaults } from "./provider-defaults.ts";

/** The caller's provider key is only used where the configuration says so. */
export function upstreamOf(config: ServerConfig, upstream: UpstreamConfig, callerKey?: string | undefined): Upstream {
  const { connect, firstByte, idle, total } = config.server.deadlines;
  return {
    name: upstream.name,
    baseUrl: upstream.baseUrl,
    headers: { ...upstream.headers, ...authHeaders(upstream, callerKey) },
    privateNetwork: upstream.privateNetwork,
    deadlines: { connect, firstByte, idle, total, ...upstream.deadlines },
  };
}

/** Whether it may get the key that a caller sends. */
export function takesCallerKey({ credentials }: Pick<UpstreamConfig, "credentials">): boolean {
  return credentials === "passthrough" || credentials === "optional";
}

function authHeaders(upstream: UpstreamConfig, callerKey: string | undefined): Record<string, string> {
  const key = takesCallerKey(upstream) ? callerKey : upstream.apiKey?.reveal();
  if (upstream.credentials === "none" || key === undefined) return {};
  const { auth, bearerKeys } = providerDefaults[upstream.provider];
  return auth === "bearer" || bearerKeys?.test(key) === true ? { authorization: `Bearer ${key}` } : { [auth]: key };
}
