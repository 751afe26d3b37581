import { decodeModelList, type ModelEntry, protocolPaths, readText, type UpstreamClient } from "@midfold/wire";
import type { ServerConfig, UpstreamConfig } from "../config/config.ts";
import { upstreamOf } from "../config/upstream-of.ts";

export interface ModelListOptions {
  readonly config: ServerConfig;
  readonly client: UpstreamClient;
  readonly now: () => number;
  readonly onError: (upstream: string, error: unknown) => void;
}

export interface ModelLists {
  /** The window the upstream states for a model, once its list has been read. Reading starts on the first question. */
  windowOf(upstream: UpstreamConfig, model: string): number | undefined;
  entriesOf(upstream: UpstreamConfig): Promise<readonly ModelEntry[]>;
}

const freshMs = 15 * 60_000;
const maxListBytes = 8 * 1024 * 1024;

interface Listed {
  readonly entries: ReadonlyMap<string, ModelEntry>;
  readonly at: number;
}

/** What upstreams say about their own models. Never waited for while answering a turn. */
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
    // A caller's key must not be used for what the caller did not ask.
    if (upstream.credentials === "passthrough") return new Map();
    const response = await client.send(upstreamOf(config, upstream), {
      method: "GET",
      path: protocolPaths[upstream.protocols[0]].models,
      deadlines: { firstByte: 10_000, total: 15_000 },
    });
    const text = await readText(response.body, maxListBytes);
    if (response.status !== 200) return new Map();
    return new Map(decodeModelList(JSON.parse(text)).map((entry) => [entry.id, entry]));
  };
  return {
    windowOf: (upstream, model) => {
      const listed = lists.get(upstream.name);
      if (listed === undefined || now() - listed.at > freshMs) void load(upstream);
      return listed?.entries.get(model)?.contextWindow;
    },
    entriesOf: async (upstream) => {
      const listed = lists.get(upstream.name);
      const fresh = listed !== undefined && now() - listed.at < freshMs ? listed : await load(upstream);
      return [...fresh.entries.values()];
    },
  };
}
