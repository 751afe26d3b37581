import { isMidfoldError, MidfoldError } from "@midfold/core";
import { headerOf, type InboundHeaders } from "../http/http-message.ts";
import { type IdentifyOptions, identify } from "./identify.ts";
import type { Identity } from "./identity.ts";
import type { KeyLimiter } from "./limit-key.ts";
import type { WrongKeyLimiter } from "./limit-wrong-keys.ts";
import type { LoadLimiter } from "./load-limits.ts";

export interface GateOptions {
  readonly hostRules: () => HostRules;
  readonly origins: readonly string[];
  readonly identify: IdentifyOptions;
  readonly wrongKeys: WrongKeyLimiter;
  /** The client's address, behind trusted proxies. */
  readonly addressOf: (remote: string, headers: InboundHeaders) => string;
  readonly keys: KeyLimiter;
  readonly load: LoadLimiter;
  readonly maxHeaders: number;
}

/** What a route requires of its callers. */
export interface RoutePolicy {
  /** `none`: anyone may call it (health, the web app's files). `key`: whoever the server lets in. */
  readonly auth: "none" | "key";
  /** Whether a call counts against the key's rate and parallel requests. */
  readonly counts: boolean;
  /** JSON only (default); JSON that may be compressed; or anything, for what is passed on unread. */
  readonly bodies?: "json" | "compressed-json" | "any";
}

export interface GateRequest {
  readonly method: string;
  readonly headers: InboundHeaders;
  readonly headerCount: number;
  readonly remoteAddress: string;
}

export interface Pass {
  readonly identity: Identity | undefined;
  /** The allowed foreign origin to answer with CORS headers. */
  readonly origin: string | undefined;
  /** Releases the request's place. */
  readonly release: () => void;
}

/**
 * Every route of the gateway and of the app passes this check first. Throws or rejects; synchronous when the key is
 * known.
 */
export function createGate(options: GateOptions): (request: GateRequest, policy: RoutePolicy) => Pass | Promise<Pass> {
  return (request, policy) => {
    if (request.headerCount > options.maxHeaders) {
      throw new MidfoldError("VALIDATION_ERROR", `A request may have ${options.maxHeaders} headers.`, { status: 431 });
    }
    checkHost(request.headers, options.hostRules());
    const origin = checkOrigin(request.headers, options.origins);
    checkContentType(request, policy.bodies ?? "json");
    if (policy.auth === "none") return { identity: undefined, origin, release: () => undefined };
    const leave = options.load.enter();
    const refuse = (error: unknown): never => {
      leave();
      if (isMidfoldError(error, "UNAUTHORIZED")) {
        // Only after the key was looked up: others behind the same address have valid keys.
        const address = options.addressOf(request.remoteAddress, request.headers);
        options.wrongKeys.check(address);
        options.wrongKeys.fail(address);
      }
      throw error;
    };
    try {
      const found = identify(request.headers, options.identify);
      if (!(found instanceof Promise)) return admit(found, origin, policy, leave, options);
      return found.then((identity) => admit(identity, origin, policy, leave, options)).catch(refuse);
    } catch (error) {
      return refuse(error);
    }
  };
}

function admit(
  identity: Identity,
  origin: string | undefined,
  policy: RoutePolicy,
  leave: () => void,
  options: GateOptions,
): Pass {
  const share =
    identity.keyId === undefined ? () => undefined : options.load.enterAs(identity.limitedAs ?? identity.keyId);
  try {
    const admission = policy.counts ? options.keys.admit(identity) : undefined;
    return {
      identity,
      origin,
      release: () => {
        admission?.release();
        share();
        leave();
      },
    };
  } catch (error) {
    share();
    throw error;
  }
}

/** A page can send plain text or a form anywhere without asking, but not JSON. */
function checkContentType(request: GateRequest, bodies: NonNullable<RoutePolicy["bodies"]>): void {
  if (bodies === "any" || request.method === "GET" || request.method === "HEAD" || request.method === "OPTIONS") return;
  const { headers } = request;
  const hasBody = Number(headerOf(headers, "content-length") ?? 0) > 0 || headers["transfer-encoding"] !== undefined;
  const type = headerOf(headers, "content-type")?.toLowerCase();
  if (type !== undefined ? !/^application\/json\s*(;|$)/.test(type) : hasBody) {
    throw new MidfoldError("UNSUPPORTED_MEDIA_TYPE", "The body must be sent as `content-type: application/json`.");
  }
  const encoding = headerOf(headers, "content-encoding")?.toLowerCase();
  if (encoding !== undefined && encoding !== "identity" && bodies !== "compressed-json") {
    throw new MidfoldError("UNSUPPORTED_MEDIA_TYPE", `A body encoded as ${encoding} is not read; send it plain.`);
  }
}

const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

interface HostRules {
  /**
   * Names this server answers to, beside the loopback ones. Empty means any, which only a server with keys may allow.
   */
  readonly hosts: readonly string[];
  readonly anyHost: boolean;
  /** The port the server listens on; undefined before it listens, and for in-process calls. */
  readonly port: number | undefined;
}

/**
 * Refuses a request whose `Host` is not one of ours. This stops a page that reaches our port through a DNS name of its
 * own (rebinding), on every route.
 */
export function checkHost(headers: InboundHeaders, rules: HostRules): void {
  if (rules.anyHost) return;
  const host = (headerOf(headers, "host") ?? headerOf(headers, ":authority") ?? "").toLowerCase();
  const match = /^(\[[0-9a-f:.]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(host);
  const name = match?.[1] ?? "";
  const port = match?.[2] === undefined ? undefined : Number(match[2]);
  if (rules.hosts.includes(name) || rules.hosts.includes(host)) return;
  if (loopbackNames.has(name) && (rules.port === undefined || port === rules.port || port === undefined)) return;
  throw new MidfoldError(
    "FORBIDDEN",
    "This server does not answer to that Host. Use the address it printed, or add the name to server.hosts.",
  );
}

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
