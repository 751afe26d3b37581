import { MidfoldError } from "@midfold/core";
import { headerOf, type InboundHeaders } from "../http/http-message.ts";

/** Headers of every dialect that carry a secret; none of them goes upstream unless pass-through says so. */
export const credentialHeaders: readonly string[] = [
  "authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "x-midfold-key",
];

export interface ResolvedKeys {
  /** What the caller wants this server to know it by. */
  readonly gatewayKey: string | undefined;
  /** What the caller sent in a provider's own header: the same, unless `x-midfold-key` names the gateway's. */
  readonly providerKey: string | undefined;
}

/** The one place that reads keys from requests. Two different keys in one request are refused, not guessed at. */
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
