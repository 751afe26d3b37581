import { hash } from "node:crypto";
import { MidfoldError } from "@midfold/core";
import { headerOf, type InboundHeaders } from "../http/http-message.ts";
import type { FindKey, Identity, KeyLimits, KnownKey } from "./identity.ts";

export interface IdentifyOptions {
  /** True: only known keys may use the server. False: anyone who reaches it may. */
  readonly required: boolean;
  readonly findKey: FindKey;
  /** Limits of callers without a key of their own. */
  readonly defaultLimits: KeyLimits;
}

/** Finds out who asks. Fails with UNAUTHORIZED when a key is needed and none that is known was sent. */
export function identify(headers: InboundHeaders, options: IdentifyOptions): Identity | Promise<Identity> {
  const keys = resolveKeys(headers);
  if (keys.gatewayKey === undefined) {
    if (!options.required) return anonymous(options, "local", keys.providerKey);
    throw new MidfoldError("UNAUTHORIZED", "A key is needed: send it as `Authorization: Bearer` or `x-api-key`.");
  }
  const keyHash = hash("sha256", keys.gatewayKey);
  const known = options.findKey(keyHash);
  return known instanceof Promise
    ? known.then((key) => identityOf(key, keys, keyHash, options))
    : identityOf(known, keys, keyHash, options);
}

function identityOf(
  known: KnownKey | undefined,
  { gatewayKey, providerKey }: ResolvedKeys,
  keyHash: string,
  options: IdentifyOptions,
): Identity {
  if (known !== undefined) {
    return {
      tenant: known.tenant,
      keyId: known.id,
      keyName: known.name,
      admin: known.admin,
      limits: { ...options.defaultLimits, ...known.limits },
      limitedAs: known.limitedAs,
      // A key of ours is not a provider credential; only a second header can carry one.
      providerKey: providerKey === gatewayKey ? undefined : providerKey,
      keyHash,
    };
  }
  if (options.required) throw new MidfoldError("UNAUTHORIZED", "The key is not one this server knows.");
  // Callers with a provider key of their own are told apart by it, so that nothing remembered is shared between them.
  return anonymous(options, `caller-${keyHash.slice(0, 24)}`, providerKey);
}

function anonymous(options: IdentifyOptions, tenant: string, providerKey: string | undefined): Identity {
  return {
    tenant,
    keyId: undefined,
    keyName: undefined,
    // Without keys the server only listens on loopback, so the caller is the person who runs it.
    admin: true,
    limits: options.defaultLimits,
    providerKey,
    keyHash: undefined,
  };
}

/** Headers of every protocol that carry a secret; none of them is sent upstream unless pass-through is configured. */
const credentialHeaders: readonly string[] = [
  "authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "x-midfold-key",
];

interface ResolvedKeys {
  /** The key that identifies the caller to this server. */
  readonly gatewayKey: string | undefined;
  /** What the caller sent in a provider's own header: the same key, unless `x-midfold-key` carries the gateway's. */
  readonly providerKey: string | undefined;
}

/** The only place that reads keys from requests. Two different keys in one request are refused. */
export function resolveKeys(headers: InboundHeaders): ResolvedKeys {
  let provider: string | undefined;
  for (const name of credentialHeaders) {
    if (name === "x-midfold-key") continue;
    const value = keyIn(headers, name);
    if (value === undefined) continue;
    if (provider !== undefined && provider !== value) {
      throw new MidfoldError(
        "VALIDATION_ERROR",
        "The request carries two different keys. Send one, or the gateway's own as x-midfold-key.",
      );
    }
    provider = value;
  }
  const own = keyIn(headers, "x-midfold-key");
  return { gatewayKey: own ?? provider, providerKey: provider };
}

function keyIn(headers: InboundHeaders, name: string): string | undefined {
  if (Array.isArray(headers[name])) {
    throw new MidfoldError("VALIDATION_ERROR", `The header ${name} may appear only once.`);
  }
  const value = headerOf(headers, name)?.trim();
  if (value === undefined || value === "") return undefined;
  if (name !== "authorization") return value;
  const bearer = /^Bearer[ ]+(\S+)$/i.exec(value);
  if (bearer === null) {
    throw new MidfoldError("UNAUTHORIZED", "The Authorization header must be `Bearer` and a key.");
  }
  return bearer[1];
}
