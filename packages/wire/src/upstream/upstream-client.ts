import type { LookupFunction } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { MidfoldError } from "@midfold/core";
import { LRUCache } from "lru-cache";
// The whole of undici is ten times as much code, most of it a browser's fetch, and 6 MB of memory.
import Agent from "undici/lib/dispatcher/agent.js";
import { bodyOf } from "./answer-body.ts";
import { abortedError, type FailedAttempt } from "./attempt-error.ts";
import { type CircuitBreaker, type CircuitBreakerOptions, createCircuitBreaker } from "./circuit-breaker.ts";
import { type Answer, type Attempt, dispatchOnce } from "./dispatch-once.ts";
import { createGuardedLookup, namesItsAddress } from "./forbidden-address.ts";
import { readText, redactedExcerpt } from "./read-text.ts";
import {
  createRetryBudget,
  defaultRetryPolicy,
  isTransientStatus,
  type RetryPolicy,
  readRetryAfter,
  retryDelay,
} from "./retry-policy.ts";
import { isUnpackable, unpackAnswer } from "./unpack-answer.ts";
import {
  type Deadlines,
  defaultDeadlines,
  defaultUpstreamLimits,
  type Upstream,
  type UpstreamLimits,
  type UpstreamRequest,
  type UpstreamResponse,
} from "./upstream.ts";
import { requestHeaders } from "./upstream-headers.ts";

export interface UpstreamClientOptions {
  readonly deadlines?: Partial<Deadlines>;
  readonly limits?: Partial<UpstreamLimits>;
  readonly retry?: Partial<RetryPolicy>;
  readonly breaker?: CircuitBreakerOptions;
  /** For tests: name resolution and jitter. */
  readonly lookup?: LookupFunction;
  readonly random?: () => number;
  /** Told about every try, for logs and metrics. Never carries content or credentials. */
  readonly onAttempt?: (event: AttemptEvent) => void;
}

export interface AttemptEvent {
  readonly upstream: string;
  readonly attempt: number;
  readonly milliseconds: number;
  readonly status?: number;
  readonly code?: string;
  readonly retryInMs?: number;
}

export interface UpstreamClient {
  /**
   * Sends a request and resolves with the answer, whatever its status, once its first byte is there. Rejects with
   * UPSTREAM_UNREACHABLE, _TIMEOUT, _BROKEN, _FORBIDDEN, _OVERLOADED (breaker open) or ABORTED.
   */
  send(upstream: Upstream, request: UpstreamRequest): Promise<UpstreamResponse>;
  /** Closes idle connections and waits for the busy ones. */
  close(): Promise<void>;
}

export function createUpstreamClient(options: UpstreamClientOptions = {}): UpstreamClient {
  const deadlines = { ...defaultDeadlines, ...options.deadlines };
  const limits = { ...defaultUpstreamLimits, ...options.limits };
  const policy = { ...defaultRetryPolicy, ...options.retry };
  const random = options.random ?? Math.random;
  const budget = createRetryBudget();
  const breakers = new LRUCache<string, CircuitBreaker>({ max: maxBreakers });
  /** Why each circuit failed last: what an open breaker tells those it turns away, and nobody else. */
  const failures = new LRUCache<string, MidfoldError>({ max: maxBreakers });
  const agents = { public: createAgent(false), private: createAgent(true) };

  function createAgent(privateNetwork: boolean): Agent {
    return new Agent({
      // One protocol, one request per connection at a time: a broken answer can only spoil its own connection.
      allowH2: false,
      pipelining: 1,
      connect: { timeout: deadlines.connect, lookup: createGuardedLookup(privateNetwork, options.lookup) },
      // Deadlines are kept per attempt, with milliseconds and with back-pressure in mind.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 64 * 1024,
      // However long an upstream would keep idle connections, a burst must not leave hundreds of them behind.
      keepAliveMaxTimeout: 15_000,
    });
  }

  function breakerOf(name: string): CircuitBreaker {
    let breaker = breakers.get(name);
    if (breaker === undefined) {
      // Names come from callers: a breaker that is forgotten starts closed.
      breaker = createCircuitBreaker(options.breaker);
      breakers.set(name, breaker);
    }
    return breaker;
  }

  async function send(upstream: Upstream, request: UpstreamRequest): Promise<UpstreamResponse> {
    const attempt = toAttempt(upstream, request, deadlines, limits);
    const repeatable = request.repeatable ?? attempt.method === "GET";
    const circuit = request.circuit === undefined ? upstream.name : `${upstream.name}\n${request.circuit}`;
    const breaker = breakerOf(circuit);
    const agent = upstream.privateNetwork === true || attempt.named ? agents.private : agents.public;
    const leave = budget.enter();
    let endRetry: (() => void) | undefined;
    try {
      for (let number = 1; ; number++) {
        const started = performance.now();
        let tried = await tryOnce(upstream, request, attempt, breaker, agent, failures.get(circuit));
        if (tried.answer !== undefined) failures.delete(circuit);
        else if (tried.failed.error.details.breaker !== "open") failures.set(circuit, tried.failed.error);
        let delay = delayAfter(tried, number, repeatable, request.retryAnswers ?? true);
        if (delay !== undefined && tried.answer?.status === 429) {
          const { answer, waits } = await readRefusal(tried.answer);
          tried = { answer };
          if (!waits) delay = undefined;
        }
        options.onAttempt?.({
          upstream: upstream.name,
          attempt: number,
          milliseconds: performance.now() - started,
          ...(tried.answer === undefined ? { code: tried.failed.error.code } : { status: tried.answer.status }),
          ...(delay === undefined ? {} : { retryInMs: delay }),
        });
        endRetry?.();
        endRetry = delay === undefined ? undefined : budget.retry();
        if (delay !== undefined && endRetry !== undefined) {
          await tried.answer?.body.cancel();
          await pause(delay, request.signal);
          continue;
        }
        if (tried.answer === undefined) throw tried.failed.error;
        const { status, headers, body } = tried.answer;
        return { upstream: upstream.name, status, headers, body, attempts: number };
      }
    } finally {
      endRetry?.();
      leave();
    }
  }

  function delayAfter(tried: Tried, attempt: number, repeatable: boolean, retryAnswers: boolean): number | undefined {
    if (tried.answer !== undefined) {
      if (!retryAnswers) return undefined;
      const { status, headers } = tried.answer;
      if (!isTransientStatus(status, headers)) return undefined;
      return retryDelay(attempt, readRetryAfter(headers, Date.now()), policy, random);
    }
    const { error, sent } = tried.failed;
    if (!error.retryable || error.details.breaker === "open" || (sent && !repeatable)) return undefined;
    return retryDelay(attempt, undefined, policy, random);
  }

  return {
    send,
    async close() {
      await Promise.all([agents.public.close(), agents.private.close()]);
    },
  };
}

async function tryOnce(
  upstream: Upstream,
  request: UpstreamRequest,
  attempt: Attempt,
  breaker: CircuitBreaker,
  agent: Agent,
  last: MidfoldError | undefined,
): Promise<Tried> {
  const closed = breaker.admit();
  if (closed !== undefined)
    return { failed: { error: breakerError(upstream.name, closed.retryAfterMs, last), sent: true } };
  const result = await dispatchOnce(agent, attempt);
  const inspected = result.ok ? inspectAnswer(upstream, request, result.answer, attempt.limits) : { failed: result };
  const tried = inspected instanceof Promise ? await inspected : inspected;
  if (tried.answer !== undefined) breaker.report(tried.answer.status >= 500 ? "failure" : "success");
  else breaker.report(isOwnFault(tried.failed.error) ? "failure" : "unknown");
  return tried;
}

/** A caller that left, or an address that may not be asked, says nothing about the upstream. */
function isOwnFault({ code }: MidfoldError): boolean {
  return code !== "ABORTED" && code !== "UPSTREAM_FORBIDDEN";
}

interface Place {
  readonly origin: string;
  readonly prefix: string;
  /** The host is written as an address, or names this machine. */
  readonly named: boolean;
}

const maxBreakers = 5_000;
const longestRefusal = 64 * 1024;

// A server has a handful of base URLs and asks for them with every request.
const places = new Map<string, Place>();
const maxPlaces = 1_000;

function placeOf(baseUrl: string): Place {
  const known = places.get(baseUrl);
  if (known !== undefined) return known;
  const { origin, pathname, hostname } = new URL(baseUrl);
  const place = { origin, prefix: pathname.replace(/\/+$/, ""), named: namesItsAddress(hostname) };
  if (places.size < maxPlaces) places.set(baseUrl, place);
  return place;
}

function toAttempt(
  upstream: Upstream,
  request: UpstreamRequest,
  deadlines: Deadlines,
  limits: UpstreamLimits,
): Attempt {
  const base = placeOf(upstream.baseUrl);
  const query = request.query === undefined || request.query === "" ? "" : `?${request.query.replace(/^\?/, "")}`;
  return {
    upstream: upstream.name,
    origin: base.origin,
    path: `${base.prefix}${request.path}${query}`,
    named: base.named,
    method: request.method ?? (request.body === undefined ? "GET" : "POST"),
    headers: requestHeaders(request.headers, upstream.headers),
    body: request.body,
    signal: request.signal,
    deadlines: { ...deadlines, ...upstream.deadlines, ...request.deadlines },
    limits,
  };
}

function breakerError(upstream: string, retryAfterMs: number, last: MidfoldError | undefined): MidfoldError {
  // A person's first message may be the sixth request: what is wrong with the upstream says more than how often it was asked.
  const why = last?.message ?? `The upstream "${upstream}" failed several times in a row.`;
  return new MidfoldError(
    last?.code ?? "UPSTREAM_OVERLOADED",
    `${why} It is asked again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    { retryable: true, details: { upstream, retryAfterMs, breaker: "open" } },
  );
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch {
    throw abortedError(signal?.reason);
  }
}

/** Whether waiting helps against a 429: only its words tell an account without credit from "slow down". */
async function readRefusal(answer: Answer): Promise<{ readonly answer: Answer; readonly waits: boolean }> {
  const said = await readText(answer.body, longestRefusal).catch(() => "");
  const waits = !/insufficient_quota|credit balance|current quota|billing/i.test(said);
  return { answer: { ...answer, body: bodyOf(once(said)) }, waits };
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** What one try came to. */
type Tried =
  | { readonly answer: Answer; readonly failed?: never }
  | { readonly answer?: never; readonly failed: FailedAttempt };

/** Answers that no caller could use become failures here, while they can still be retried. */
function inspectAnswer(
  upstream: Upstream,
  request: UpstreamRequest,
  answer: Answer,
  limits: UpstreamLimits,
): Tried | Promise<Tried> {
  const { status, headers } = answer;
  if (status >= 300 && status < 400) {
    return letGo(
      answer,
      upstream,
      `answered ${status}: redirects are not followed. Put the final address into its base URL.`,
    );
  }
  const encoding = headers["content-encoding"];
  if (encoding === undefined) return inspectContent(upstream, request, answer);
  if (!isUnpackable(encoding)) {
    return letGo(answer, upstream, `answered with the content encoding "${encoding}" though none was offered.`);
  }
  return unpackAnswer(upstream.name, answer, limits).then(
    (plain) => inspectContent(upstream, request, plain),
    (error: MidfoldError) => ({ failed: { error, sent: true } }),
  );
}

function inspectContent(upstream: Upstream, { expects }: UpstreamRequest, answer: Answer): Tried | Promise<Tried> {
  const { status, headers } = answer;
  if (status < 200 || status >= 300 || expects === undefined) return { answer };
  if (answer.empty) {
    // An answer without content was not work we could be billed twice for.
    const error = brokenError(upstream.name, status, `answered ${status} with nothing in it.`, true);
    return { failed: { error, sent: false } };
  }
  const type = mediaType(headers["content-type"] ?? "");
  if (expects.includes(type)) return { answer };
  const real = isVague(type) ? typeOf(answer.opening) : undefined;
  if (real === undefined || !expects.includes(real)) return unexpected(upstream, answer, type, expects);
  headers["content-type"] = real;
  return { answer };
}

/** Types that small servers give their answers by default, and clients do not look at. */
const isVague = (type: string) =>
  type === "" || type === "text/plain" || type === "application/octet-stream" || type.endsWith("+json");

/** What an answer is by how it begins. */
function typeOf(opening: Uint8Array): string | undefined {
  const start = Buffer.from(opening.subarray(0, 64)).toString("latin1").trimStart();
  if (start.startsWith("{") || start.startsWith("[")) return "application/json";
  return /^(?:data|event|id|retry)?:/.test(start) ? "text/event-stream" : undefined;
}

async function letGo({ status, body }: Answer, upstream: Upstream, why: string): Promise<Tried> {
  await body.cancel();
  return { failed: { error: brokenError(upstream.name, status, why, false), sent: true } };
}

async function unexpected(
  upstream: Upstream,
  { status, body }: Answer,
  type: string,
  expects: readonly string[],
): Promise<Tried> {
  const text = await readText(body, 2_048).catch(() => "");
  const excerpt = redactedExcerpt(text, Object.values(upstream.headers ?? {}));
  const why = `answered with "${type}" instead of ${expects.join(" or ")}: ${excerpt}`;
  return { failed: { error: brokenError(upstream.name, status, why, false), sent: true } };
}

function mediaType(header: string): string {
  const end = header.indexOf(";");
  return (end === -1 ? header : header.slice(0, end)).trim().toLowerCase();
}

function brokenError(upstream: string, status: number, why: string, retryable: boolean): MidfoldError {
  return new MidfoldError("UPSTREAM_BROKEN", `The upstream "${upstream}" ${why}`, {
    retryable,
    details: { upstream, status },
  });
}
