import { setTimeout as sleep } from "node:timers/promises";
import {
  askRealWindows,
  decodeModelList,
  type ModelEntry,
  namesItsAddress,
  protocolPaths,
  type RealModel,
  readText,
  traitsOf,
  type UpstreamClient,
} from "@midfold/wire";
import type { ServerConfig, UpstreamConfig } from "../config/config.ts";
import { upstreamOf } from "../config/upstream-of.ts";

export interface ModelListOptions {
  readonly config: ServerConfig;
  readonly client: UpstreamClient;
  readonly now: () => number;
  /** How long to wait for a list. After that, what is known is used until the list arrives. */
  readonly patienceMs?: number;
  readonly onError: (upstream: string, error: unknown) => void;
}

export interface ModelLists {
  /** The window the upstream lists for a model, once its list has been read. The first call starts reading. */
  windowOf(upstream: UpstreamConfig, model: string): number | undefined;
  entriesOf(upstream: UpstreamConfig): Promise<readonly ModelEntry[]>;
}

const freshMs = 15 * 60_000;
const maxListBytes = 8 * 1024 * 1024;

interface Listed {
  readonly entries: ReadonlyMap<string, ModelEntry>;
  readonly at: number;
}

/** A server that hangs would otherwise delay the first page, and every import, for as long as its request may take. */
const patienceMs = 3_000;

/** What upstreams say about their own models. A turn never waits for it. */
export function createModelLists(options: ModelListOptions): ModelLists {
  const { config, client, now } = options;
  const lists = new Map<string, Listed>();
  const loading = new Map<string, Promise<Listed>>();

  const load = (upstream: UpstreamConfig): Promise<Listed> => {
    const running = loading.get(upstream.name);
    if (running !== undefined) return running;
    const task = fetchList(upstream)
      .catch((error: unknown) => {
        options.onError(upstream.name, error);
        return lists.get(upstream.name)?.entries ?? new Map<string, ModelEntry>();
      })
      .then((entries) => {
        const listed = { entries, at: now() };
        lists.set(upstream.name, listed);
        loading.delete(upstream.name);
        return listed;
      });
    loading.set(upstream.name, task);
    return task;
  };
  const fetchList = async (upstream: UpstreamConfig): Promise<ReadonlyMap<string, ModelEntry>> => {
    // A caller's key must not be used for what the caller did not request.
    if (upstream.credentials === "passthrough") return new Map();
    const response = await client.send(upstreamOf(config, upstream), {
      method: "GET",
      path: protocolPaths[upstream.protocols[0]].models,
      deadlines: { firstByte: 10_000, total: 15_000 },
    });
    const text = await readText(response.body, maxListBytes);
    if (response.status !== 200) return new Map();
    const entries = decodeModelList(JSON.parse(text));
    const real = await realWindows(upstream, entries);
    return new Map(entries.map((entry) => [entry.id, { ...entry, ...real.get(entry.id) }]));
  };
  const realWindows = async (upstream: UpstreamConfig, entries: readonly ModelEntry[]) => {
    const { baseUrl, ...access } = upstreamOf(config, upstream);
    // Only servers on this machine or network: others are not asked for pages they may not have.
    if (upstream.provider === "demo" || !namesItsAddress(new URL(baseUrl).hostname))
      return new Map<string, RealModel>();
    const root = { ...access, baseUrl: baseUrl.replace(/\/v1\/?$/, "") };
    const names = entries.map(({ id }) => id);
    return askRealWindows(traitsOf(upstream.provider), names, async (path, body) => {
      try {
        const { status, body: answer } = await client.send(root, {
          method: body === undefined ? "GET" : "POST",
          path,
          ...(body === undefined
            ? {}
            : { headers: { "content-type": "application/json" }, body: JSON.stringify(body), repeatable: true }),
          deadlines: { firstByte: 3_000, total: 5_000 },
        });
        const text = await readText(answer, maxListBytes);
        return status === 200 ? JSON.parse(text) : undefined;
      } catch {
        // Some other server, or an older version.
        return undefined;
      }
    });
  };
  return {
    windowOf: (upstream, model) => {
      const listed = lists.get(upstream.name);
      if (listed === undefined || now() - listed.at > freshMs) void load(upstream);
      return listed?.entries.get(model)?.contextWindow;
    },
    entriesOf: async (upstream) => {
      const listed = lists.get(upstream.name);
      if (listed !== undefined && now() - listed.at < freshMs) return [...listed.entries.values()];
      const waiting = new AbortController();
      const tooLong = sleep(options.patienceMs ?? patienceMs, listed, { signal: waiting.signal }).catch(() => listed);
      const fresh = await Promise.race([load(upstream), tooLong]);
      waiting.abort();
      return [...(fresh?.entries.values() ?? [])];
    },
  };
}
