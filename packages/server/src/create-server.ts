import { isMidfoldError, MidfoldError, warmCounter } from "@midfold/core";
import { TokenPool } from "@midfold/core/pool";
import type { ServerConfig } from "./config/config.ts";
import { assertElsewhere } from "./config/load-config.ts";
import type { Secret } from "./config/secret.ts";
import { createByHand } from "./console/by-hand.ts";
import { createExchangeTools } from "./exchange/create-exchange-tools.ts";
import { createFoldCaches } from "./folds/create-fold-cache.ts";
import { createClientAddress } from "./guard/client-address.ts";
import { createGate } from "./guard/create-gate.ts";
import { createKeyFinder } from "./guard/find-key.ts";
import { createFeedLimiter } from "./guard/limit-feeds.ts";
import { createKeyLimiter } from "./guard/limit-key.ts";
import { createWrongKeyLimiter } from "./guard/limit-wrong-keys.ts";
import { createLoadLimiter } from "./guard/load-limits.ts";
import { watchRevocations } from "./guard/watch-revocations.ts";
import { createListener, endCurrentRequest } from "./http/create-listener.ts";
import { fromFetch, toResponse } from "./http/from-fetch.ts";
import { listenOn } from "./http/listen-on.ts";
import { createRequestIds } from "./http/request-id.ts";
import { createValueMemo } from "./json/value-memo.ts";
import { createLiveRequests } from "./live-requests.ts";
import { plainLines } from "./observe/create-logger.ts";
import { createMetrics } from "./observe/create-metrics.ts";
import { keepLog } from "./requests/keep-log.ts";
import { createRequestLog } from "./requests/request-log.ts";
import { toStore } from "./requests/to-store.ts";
import { createSite } from "./routing/create-site.ts";
import type { MidfoldServer, Reloaded, ServerOptions } from "./server-options.ts";
import { siteRoutes } from "./site/site-routes.ts";
import { createThreadPool } from "./threads/thread-pool.ts";
import type { Gateway } from "./turn/gateway.ts";
import { createKeptAnswers } from "./turn/kept-answers.ts";
import { createCountPreparer } from "./turn/prepare-counting.ts";
import { createSummaryPreparer } from "./turn/prepare-summaries.ts";
import { createRepeats } from "./turn/repeat-once.ts";
import { createMessageScanner } from "./turn/scan-messages.ts";
import { createDestinations } from "./upstreams/create-destinations.ts";
import type { Destinations } from "./upstreams/destinations.ts";
import { createOwners, locateOwn, type Own } from "./upstreams/owners.ts";

const gatewayWorker = new URL(
  import.meta.url.endsWith(".ts") ? "./threads/gateway-worker.ts" : "./threads/gateway-worker.js",
  import.meta.url,
);

/** Requests the console can show. */
const shownRequests = 2_000;

/** Builds a server; nothing listens and nothing is sent until `listen` is called. */
export function createServer(given: ServerOptions): MidfoldServer {
  const { config, replace } = liveConfig(given.config);
  const options: ServerOptions = { ...given, config };
  const { logger, store } = options;
  const { limits, deadlines, keys: keyMode } = config.server;
  const now = options.now ?? Date.now;
  const newId = createRequestIds();
  const live = createLiveRequests();
  const load = createLoadLimiter({
    maxInFlight: limits.inFlight,
    maxBodyBytes: limits.bodyBytesInFlight,
    now: () => performance.now(),
  });
  const metrics = createMetrics({ inFlight: () => load.inFlight, process: options.processMetrics ?? false });
  const onStoreError = (err: unknown) => logger.warn({ err }, "the store did not answer; going on without it");
  const requests = createRequestLog({
    capacity: shownRequests,
    contentCapacity: 50,
    atomCapacity: 100_000,
    ...(store === undefined
      ? {}
      : {
          sink: toStore(store, {
            capture: config.server.capture,
            now,
            onLeftOut: (count) => {
              metrics.notStored(count);
              logger.info({ count }, "under load: ordinary requests left out of the stored log");
            },
          }),
        }),
  });
  const openDestinations = (from: ServerConfig) =>
    createDestinations({
      config: from,
      ...(options.client === undefined ? {} : { client: options.client }),
      newId,
      now,
      demoDelayMs: options.demoDelayMs ?? 12,
      onListError: (upstream, err) => logger.debug({ upstream, err }, "the upstream's model list could not be read"),
    });
  const exchange = createExchangeTools({ store, log: logger, now });
  const summaries = createSummaryPreparer(() => gateway, logger);
  const pool = new TokenPool();
  let places = openDestinations(given.config);
  const destinations: Destinations = {
    find: (model, inbound) => places.find(model, inbound),
    findAny: (inbound) => places.findAny(inbound),
    list: () => places.list(),
    describe: () => places.describe(),
    close: () => places.close(),
  };
  const owners =
    store === undefined ? undefined : createOwners({ config, open: openDestinations, onError: onStoreError });
  const gateway: Gateway = {
    destinations,
    locate: (tenant, model, inbound) => {
      const find = (own: Own) => locateOwn(config, own, model, inbound) ?? destinations.find(model, inbound);
      if (store === undefined || owners === undefined) return destinations.find(model, inbound);
      const own = owners.of(store.of(tenant), "soon");
      return own instanceof Promise ? own.then(find) : find(own);
    },
    modelsOf: async (tenant) => {
      const own = store === undefined ? undefined : await owners?.of(store.of(tenant));
      return [...(await destinations.list()), ...((await own?.providers.list()) ?? [])];
    },
    memo: createValueMemo(24 * 1024 * 1024),
    scanner: createMessageScanner(),
    exchange,
    foldsOf: createFoldCaches({ store, maxBytes: 12 * 1024 * 1024, onStoreError }),
    byHand: createByHand({ store, now, onStoreError }),
    counterFor: (model, identity) => exchange.calibrations.counterFor(identity.tenant, model),
    prepareCounting: createCountPreparer(pool),
    threads: createThreadPool(gatewayWorker),
    repeats: createRepeats({ keepMs: 600_000, maxBytes: 16 * 1024 * 1024, now: () => performance.now() }),
    answers: createKeptAnswers({
      store,
      keepMs: 30 * 24 * 3_600_000,
      maxBytes: 16 * 1024 * 1024,
      now,
      onStoreError,
    }),
    requests,
    metrics,
    log: logger,
    requestLines: plainLines(logger),
    keys: createKeyLimiter(() => performance.now()),
    load,
    prepareSummary: (turn, record) => summaries.prepare(turn, record),
    settings: {
      get folding() {
        return config.fold.enabled || config.routes.some(({ fold }) => fold.enabled);
      },
      capture: config.server.capture,
      maxBodyBytes: limits.bodyBytes,
      maxDepth: limits.jsonDepth,
      maxValues: limits.jsonValues,
      maxMessages: limits.messages,
      maxParts: limits.parts,
      maxTools: limits.tools,
      pingMs: options.pingMs ?? 10_000,
    },
    now,
  };
  let open = true;
  let port: number | undefined;
  let stopKeeping = () => {};
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits;
  const findKey = createKeyFinder({ store, keys: options.keys, onStoreError });
  const revocations = watchRevocations(findKey.findAnew, 2_000);
  const gate = createGate({
    hostRules: () => ({
      hosts: config.server.hosts,
      // With keys, an unknown host name is no danger: a page that reaches us through it has no key.
      anyHost: keyMode === "required" && config.server.hosts.length === 0,
      port,
    }),
    origins: config.server.origins,
    identify: {
      required: keyMode === "required",
      findKey: findKey.find,
      defaultLimits: { requestsPerMinute, tokensPerMinute, concurrentRequests },
    },
    addressOf: createClientAddress(config.server.trustedProxies),
    wrongKeys: createWrongKeyLimiter({ perMinute: 10, now: () => performance.now() }),
    keys: gateway.keys,
    load,
    maxHeaders: limits.headerCount,
  });
  const feeds = createFeedLimiter({ perKey: 64, most: Math.max(1, Math.floor(limits.connections / 2)) });
  const site = createSite({
    routes: siteRoutes({
      gateway,
      options,
      isOpen: () => open,
      startedAt: now(),
      openDestinations,
      owners,
      onWork: live.add,
    }),
    gate,
    isOpen: () => open,
    onIdentified: ({ keyHash }, controller) =>
      keyHash === undefined ? undefined : revocations.add(keyHash, controller),
    onFeed: feeds.enter,
    onRefused: (error) => {
      metrics.refused(error.code);
      logger.debug({ code: error.code, error: error.message }, "request refused");
    },
    onCrash: (err, id) => {
      metrics.unexpected();
      logger.error({ id, err }, "unexpected error");
    },
  });
  const listener = createListener({
    limits: {
      headerBytes: limits.headerBytes,
      headersTimeoutMs: deadlines.headers,
      requestTimeoutMs: deadlines.request,
      keepAliveTimeoutMs: deadlines.keepAlive,
      drainTimeoutMs: deadlines.drain,
      connections: limits.connections,
    },
    newId,
    handle: site,
    onOpen: live.add,
    onWriteError: (id, err) => {
      if (!isMidfoldError(err, "ABORTED")) logger.warn({ id, err }, "the reply could not be written");
    },
  });

  return {
    fetch: async (request) => {
      const controller = new AbortController();
      const id = newId();
      const closed = live.add(controller);
      request.signal.addEventListener("abort", () => controller.abort(request.signal.reason), { once: true });
      const reply = await site(fromFetch(request, id, controller));
      return toResponse({
        ...reply,
        onEnd: () => {
          closed();
          reply.onEnd?.();
        },
      });
    },
    listen: async (address = {}) => {
      // Building the token table now keeps it from delaying the first requests.
      await warmCounter();
      const host = address.host ?? config.server.host;
      const wanted = address.port ?? config.server.port;
      for (const upstream of Object.values(config.upstreams)) assertElsewhere(upstream, host, wanted);
      const bound = await listenOn(listener, {
        host,
        port: wanted,
        keysRequired: keyMode === "required",
      });
      port = bound.port;
      if (store !== undefined) {
        const { keep, maxAge } = config.server.requestLog;
        stopKeeping = keepLog({
          store,
          requests,
          lastAnswers: exchange.lastAnswers,
          capture: config.server.capture,
          shown: shownRequests,
          keep,
          maxAge,
          now,
          onError: onStoreError,
        });
      }
      return bound;
    },
    reload: (next) => {
      for (const upstream of Object.values(next.upstreams)) {
        if (port !== undefined) assertElsewhere(upstream, config.server.host, port);
      }
      const opened = openDestinations({ ...next, server: config.server });
      const before = places;
      places = opened;
      // Running answers may finish.
      before
        .close()
        .catch((err: unknown) =>
          logger.warn({ err }, "connections to the upstreams of the previous configuration could not be closed"),
        );
      logger.level = next.server.logLevel;
      return replace(next);
    },
    handleStrayError: (err) => {
      const ended = endCurrentRequest();
      metrics.unexpected();
      logger.error({ err, ended: ended ? "its request" : "nothing" }, "unexpected error");
    },
    lostLogLine: () => metrics.loggedDrop(),
    close: async () => {
      if (!open) return;
      open = false;
      stopKeeping();
      const closed = new Promise<void>((resolve) => {
        if (!listener.listening) resolve();
        else listener.close(() => resolve());
      });
      listener.closeIdleConnections();
      summaries.stop();
      feeds.endAll(
        new MidfoldError("OVERLOADED", "The server is shutting down.", { details: { retryAfterSeconds: 5 } }),
      );
      await live.drained(deadlines.shutdown);
      live.endAll();
      // Requests that were just ended need a moment to tell their clients.
      await live.drained(1_000);
      listener.closeAllConnections();
      await closed;
      revocations.stop();
      await summaries.idle();
      await gateway.destinations.close();
      await gateway.answers.idle();
      await exchange.calibrations.idle();
      await pool.close();
      await gateway.threads.close();
    },
  };
}

/** What a running server takes from a configuration that is read again. Everything else needs a restart. */
const replaceable = ["upstreams", "routes", "fold", "models", "chat"] as const;

/** A configuration whose replaceable parts are always those read last. */
function liveConfig(started: ServerConfig): {
  readonly config: ServerConfig;
  readonly replace: (next: ServerConfig) => Reloaded;
} {
  let current = started;
  const config = { server: started.server, warnings: started.warnings } as ServerConfig;
  for (const part of replaceable) Object.defineProperty(config, part, { get: () => current[part], enumerable: true });
  return {
    config,
    replace: (next) => {
      const differs = (before: unknown, after: unknown) => spelledOut(before) !== spelledOut(after);
      const reloaded: string[] = replaceable.filter((part) => differs(current[part], next[part]));
      if (current.server.logLevel !== next.server.logLevel) reloaded.push("server.logLevel");
      const needsRestart = (Object.keys(next.server) as (keyof ServerConfig["server"])[])
        .filter((name) => name !== "logLevel" && differs(started.server[name], next.server[name]))
        .map((name) => `server.${name}`);
      current = next;
      return { reloaded, needsRestart };
    },
  };
}

/** With keys in clear, so that a new key counts as a change. Only for comparison. */
function spelledOut(value: unknown): string | undefined {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, written) {
    const held = this[name] as Partial<Secret> | undefined | null;
    return typeof held?.reveal === "function" ? held.reveal() : written;
  });
}
