import { MidfoldError } from "@midfold/core";
import { headerOf, type InboundHeaders } from "../http/http-message.ts";

/** The origin to answer with CORS headers, or undefined when the request does not come from another origin's page. */
export function checkOrigin(headers: InboundHeaders, allowed: readonly string[]): string | undefined {
  const origin = headerOf(headers, "origin");
  if (origin === undefined) {
    if (headerOf(headers, "sec-fetch-site") === "cross-site" && headerOf(headers, "sec-fetch-mode") !== "navigate") {
      throw foreign();
    }
    return undefined;
  }
  if (allowed.includes(origin)) return origin;
  const host = headerOf(headers, "host") ?? "";
  if (origin === `http://${host}` || origin === `https://${host}`) return undefined;
  throw foreign();
}

function foreign(): MidfoldError {
  return new MidfoldError(
    "FORBIDDEN",
    "A page of another origin may not call this server. Add its origin to server.origins if it should.",
  );
}
