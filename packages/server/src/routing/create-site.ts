import { isMidfoldError, MidfoldError } from "@midfold/core";
import type { createGate, Pass, RoutePolicy } from "../guard/create-gate.ts";
import type { Identity } from "../guard/identity.ts";
import type { RequestHead } from "../http/create-listener.ts";
import { type HttpReply, headerValue, type InboundRequest } from "../http/http-message.ts";
import { securityHeaders } from "../http/security-headers.ts";

/** One route: what it requires of a caller and what it does. */
export interface Route extends RoutePolicy {
  readonly methods: readonly string[];
  /** An exact path, or a prefix when it ends in `/*`. */
  readonly path: string;
  /** How an error looks to this route's clients. */
  readonly encodeError: (error: MidfoldError, head: RequestHead) => HttpReply;
  readonly handle: (request: InboundRequest, pass: RoutePass) => Promise<HttpReply> | HttpReply;
}

/** Who asks; routes that need no key may still look. */
export interface RoutePass {
  /** Throws when the route was declared with `auth: "none"`. */
  readonly identity: Identity;
}

export interface SiteOptions {
  readonly routes: readonly Route[];
  readonly gate: ReturnType<typeof createGate>;
  /** False while the server shuts down. */
  readonly isOpen: () => boolean;
  /** Called with the caller's identity; the returned function is called when the request ends. */
  readonly onIdentified: (identity: Identity, controller: AbortController) => (() => void) | undefined;
  /**
   * Called when an event stream begins that runs until one side disconnects; may throw. The returned function is called
   * when it ends.
   */
  readonly onFeed: (identity: Identity | undefined, controller: AbortController) => () => void;
  readonly onRefused: (error: MidfoldError, head: RequestHead) => void;
  readonly onCrash: (error: unknown, requestId: string) => void;
}

/** Everything between a request and its reply: path, route, gate, errors. Never rejects. */
export function createSite(options: SiteOptions): (head: RequestHead) => Promise<HttpReply> {
  const exact = new Map<string, Route[]>();
  const prefixes: { readonly prefix: string; readonly route: Route }[] = [];
  for (const route of options.routes) {
    if (route.path.endsWith("/*")) prefixes.push({ prefix: route.path.slice(0, -1), route });
    else exact.set(route.path, [...(exact.get(route.path) ?? []), route]);
  }
  prefixes.sort((left, right) => right.prefix.length - left.prefix.length);
  const routesAt = (path: string): readonly Route[] =>
    exact.get(path) ?? prefixes.filter(({ prefix }) => path.startsWith(prefix)).map(({ route }) => route);
  const fallback = options.routes.at(-1) as Route;

  return async (head) => {
    let route = fallback;
    let pass: Pass | undefined;
    try {
      const request = toRequest(head, canonicalPath(head.target));
      const candidates = routesAt(request.path);
      route = candidates.find(({ methods }) => methods.includes(head.method)) ?? candidates[0] ?? fallback;
      if (!options.isOpen() && route.auth !== "none") throw shuttingDown();
      const preflight = head.method === "OPTIONS" && head.headers["access-control-request-method"] !== undefined;
      const admitted = options.gate(head, preflight ? open : route);
      pass = admitted instanceof Promise ? await admitted : admitted;
      if (preflight && pass.origin !== undefined) return finish(answerPreflight(request, pass.origin), head.id, pass);
      if (!route.methods.includes(head.method)) throw wrongMethod(candidates);
      const { identity } = pass;
      if (identity !== undefined) {
        const forget = options.onIdentified(identity, head.controller);
        if (forget !== undefined) pass = withRelease(pass, forget);
      }
      const reply = await route.handle(request, identity === undefined ? nobody : { identity });
      return finish(isFeed(request, reply) ? beginFeed(reply, pass, head, options) : reply, head.id, pass);
    } catch (thrown) {
      pass?.release();
      const error = toMidfoldError(thrown);
      if (error.code === "INTERNAL") options.onCrash(thrown, head.id);
      options.onRefused(error, head);
      const reply = route.encodeError(error, head);
      const close = error.code === "BODY_TOO_LARGE" || error.code === "OVERLOADED" || reply.close === true;
      return finish({ ...reply, close }, head.id, undefined);
    }
  };
}

/** A stream in answer to a GET: it runs until one side disconnects. */
function isFeed({ method }: InboundRequest, { headers }: HttpReply): boolean {
  return method === "GET" && (headers["content-type"] ?? "").startsWith("text/event-stream");
}

/** A feed releases its place among the running requests, so that a few hundred readers do not keep others out. */
function beginFeed(reply: HttpReply, pass: Pass, head: RequestHead, { onFeed }: SiteOptions): HttpReply {
  try {
    const end = onFeed(pass.identity, head.controller);
    pass.release();
    return {
      ...reply,
      onEnd: () => {
        end();
        reply.onEnd?.();
      },
    };
  } catch (error) {
    head.controller.abort(error);
    if (typeof reply.body === "object" && Symbol.asyncIterator in reply.body) {
      void reply.body[Symbol.asyncIterator]().return?.();
    }
    reply.onEnd?.();
    throw error;
  }
}

/** For a browser's preflight request, and for what needs no key. */
const open: RoutePolicy = { auth: "none", counts: false };

const nobody: RoutePass = {
  get identity(): never {
    throw new MidfoldError("INTERNAL", "This route does not know who asks.");
  },
};

function toRequest(head: RequestHead, { path, query }: CanonicalPath): InboundRequest {
  const { id, method, headers, headerCount, remoteAddress, startedAt, signal, controller, readBody } = head;
  return { id, method, path, query, headers, headerCount, remoteAddress, startedAt, signal, controller, readBody };
}

function withRelease(pass: Pass, also: () => void): Pass {
  return {
    ...pass,
    release: () => {
      also();
      pass.release();
    },
  };
}

function finish(reply: HttpReply, requestId: string, pass: Pass | undefined): HttpReply {
  const headers: Record<string, string> = { ...securityHeaders };
  // A header may contain a field name or a model's name, and a value that Node refuses would leave the client waiting.
  for (const name in reply.headers) headers[name] = headerValue(reply.headers[name] as string);
  headers["x-request-id"] = requestId;
  headers["request-id"] = requestId;
  if (pass?.origin !== undefined) Object.assign(headers, corsHeaders(pass.origin));
  if (pass === undefined) return { ...reply, headers };
  return {
    ...reply,
    headers,
    onEnd: () => {
      pass.release();
      reply.onEnd?.();
    },
  };
}

/** Whatever was thrown, as an error that may be shown. Unexpected ones become INTERNAL. */
export function toMidfoldError(thrown: unknown): MidfoldError {
  if (isMidfoldError(thrown)) return thrown;
  return new MidfoldError("INTERNAL", "Something went wrong inside Midfold; the log has the cause.", { cause: thrown });
}

function shuttingDown(): MidfoldError {
  return new MidfoldError("OVERLOADED", "The server is shutting down.", { details: { retryAfterSeconds: 5 } });
}

function wrongMethod(candidates: readonly Route[]): MidfoldError {
  if (candidates.length === 0) return new MidfoldError("NOT_FOUND", "There is nothing at this path.");
  const allow = [...new Set(candidates.flatMap(({ methods }) => methods))].join(", ");
  return new MidfoldError("METHOD_NOT_ALLOWED", `This path takes ${allow}.`, { details: { allow } });
}

interface CanonicalPath {
  readonly path: string;
  readonly query: string;
}

// Spellings that two layers may read differently, which has been used elsewhere to bypass checks by path.
const ambiguous = /\/\/|\\|;|%00|%2e|%5c|(?:^|\/)\.{1,2}(?:\/|$)/i;
const printable = /^[\x21-\x7e]*$/;

/** One spelling per path, decided before any check looks at it; throws VALIDATION_ERROR for ambiguous ones. */
function canonicalPath(target: string): CanonicalPath {
  const mark = target.indexOf("?");
  const raw = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? "" : target.slice(mark + 1);
  if (!raw.startsWith("/") || !printable.test(raw) || raw.includes("#") || ambiguous.test(raw)) {
    throw new MidfoldError("VALIDATION_ERROR", "The request path has an ambiguous spelling; write it plainly.");
  }
  const path = raw.length > 1 && raw.endsWith("/") ? raw.slice(0, -1) : raw;
  return { path, query };
}

/** What a page of an allowed origin may read. */
function corsHeaders(origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "*",
    vary: "origin",
  };
}

/** The answer to a browser that asks before it sends. */
function answerPreflight(request: InboundRequest, origin: string): HttpReply {
  const wanted = request.headers["access-control-request-headers"];
  return {
    status: 204,
    headers: {
      ...corsHeaders(origin),
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers":
        typeof wanted === "string" && /^[\w\s,-]+$/.test(wanted) ? wanted : "content-type",
      "access-control-max-age": "600",
    },
  };
}
