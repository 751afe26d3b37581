import { hash } from "node:crypto";
import { MidfoldError } from "@midfold/core";
import type { InboundHeaders } from "../http/exchange.ts";
import type { FindKey, Identity, KeyLimits } from "./identity.ts";
import { resolveKeys } from "./resolve-key.ts";

export interface IdentifyOptions {
  /** True: only known keys may use the server. False: whoever reaches it may. */
  readonly required: boolean;
  readonly findKey: FindKey;
  /** Limits of callers without a key of their own. */
  readonly defaultLimits: KeyLimits;
}

/** Finds out who asks. Rejects with UNAUTHORIZED when a key is needed and none that is known was sent. */
export async function identify(headers: InboundHeaders, options: IdentifyOptions): Promise<Identity> {
  const { gatewayKey, providerKey } = resolveKeys(headers);
  if (gatewayKey !== undefined) {
    const keyHash = hash("sha256", gatewayKey);
    const known = await options.findKey(keyHash);
    if (known !== undefined) {
      return {
        tenant: known.tenant,
        keyId: known.id,
        keyName: known.name,
        admin: known.admin,
        limits: { ...options.defaultLimits, ...known.limits },
        // A key of ours is no provider credential; only a second header can carry one.
        providerKey: providerKey === gatewayKey ? undefined : providerKey,
        keyHash,
      };
    }
    if (!options.required) {
      // Callers who bring their own provider key are told apart by it, so that nothing remembered crosses over.
      return { ...anonymous(options, providerKey), tenant: `caller-${keyHash.slice(0, 24)}` };
    }
    throw new MidfoldError("UNAUTHORIZED", "The key is not one this server knows.");
  }
  if (options.required) {
    throw new MidfoldError("UNAUTHORIZED", "A key is needed: send it as `Authorization: Bearer` or `x-api-key`.");
  }
  return { ...anonymous(options, providerKey), tenant: "local" };
}

function anonymous(options: IdentifyOptions, providerKey: string | undefined): Identity {
  return {
    tenant: "local",
    keyId: undefined,
    keyName: undefined,
    // Without keys the server only listens on loopback: whoever reaches it is the person who runs it.
    admin: true,
    limits: options.defaultLimits,
    providerKey,
    keyHash: undefined,
  };
}
