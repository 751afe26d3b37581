import type { Store } from "@midfold/store";
import { LRUCache } from "lru-cache";

/** A limit an upstream revealed: stated in a refusal, or concluded from what it did. */
export interface KnownLimit {
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** What happened, in words, for people. */
  readonly evidence: string;
  readonly learnedAt: number;
  /** Milliseconds since 1970; after that the limit is forgotten and tested again. */
  readonly expiresAt: number;
}

export interface LearnedLimit extends KnownLimit {
  readonly tenant: string;
  readonly upstream: string;
  readonly model: string;
}

/** Whose limit, of which model at which upstream. */
export interface LimitKey {
  readonly tenant: string;
  readonly upstream: string;
  readonly model: string;
}

/**
 * What upstreams revealed, per tenant. Answers come from memory; the store is written in the background and read again
 * from time to time, so that replicas learn and forget together.
 */
export interface Limits {
  /** Resolves when the stored limits of this tenant are in memory; undefined when there is no need to wait. */
  load(tenant: string): Promise<void> | undefined;
  limitOf(key: LimitKey): KnownLimit | undefined;
  /** Tokens of the largest request that this model is known to have read completely. */
  provenOf(key: LimitKey): number;
  /** The upstream named a figure in tokens: used for a week, also by other replicas and after a restart. */
  learnStated(key: LimitKey, window: number, evidence: string): void;
  /** No figure was named; it follows from what the upstream did. Used for an hour, by this process. */
  learnConcluded(key: LimitKey, window: number, evidence: string): void;
  /** The upstream named the longest answer it gives: used for a week, like a stated window. */
  learnAnswer(key: LimitKey, tokens: number, evidence: string): void;
  /**
   * A request of this many tokens was refused without a reason, and a smaller one taken. True when the same happened
   * within the last hour and nothing as large was read since.
   */
  suspect(key: LimitKey, tokens: number): boolean;
  /** A request of this many tokens was read completely, so a smaller learned window is wrong. */
  prove(key: LimitKey, tokens: number): void;
  /** True when there was something to forget. */
  forget(key: LimitKey): boolean;
  list(tenant: string | undefined): readonly LearnedLimit[];
}

export interface LimitsOptions {
  readonly store: Store | undefined;
  readonly now: () => number;
  /** Called when the store cannot be read or written; the request continues without it. */
  readonly onStoreError: (error: unknown) => void;
}

type StoredLimits = ReturnType<Store["of"]>["limits"];

const maxTenants = 10_000;
const statedMs = 7 * 24 * 3_600_000;
const concludedMs = 3_600_000;

/** For this long another replica may not know what this one learned or forgot. */
const readAgainMs = 30_000;

type Found = Pick<KnownLimit, "contextWindow" | "maxOutputTokens">;

interface Held extends LearnedLimit {
  /** Also in the store: if it is gone from there, another replica has forgotten it. */
  readonly shared: boolean;
}

interface Memory {
  readonly limits: Map<string, Held>;
  readonly proven: Map<string, number>;
  readonly suspected: Map<string, { readonly tokens: number; readonly at: number }>;
  ready: Promise<void> | undefined;
  readAt: number;
  /** Writes under way: until they end, the store may be older than memory. */
  writing: number;
}

export function createLimits({ store, now, onStoreError }: LimitsOptions): Limits {
  const tenants = new LRUCache<string, Memory>({ max: maxTenants });

  const memoryOf = (tenant: string): Memory => {
    const found = tenants.get(tenant);
    if (found !== undefined) return found;
    const memory: Memory = {
      limits: new Map(),
      proven: new Map(),
      suspected: new Map(),
      ready: undefined,
      readAt: now(),
      writing: 0,
    };
    if (store !== undefined) {
      memory.ready = read(store, tenant, memory, false).then(() => {
        memory.ready = undefined;
      });
    }
    tenants.set(tenant, memory);
    return memory;
  };
  const read = async (from: Store, tenant: string, memory: Memory, unhurried: boolean) => {
    memory.readAt = now();
    try {
      const stored = await from.of(tenant).limits.list({ unhurried });
      if (memory.writing > 0) return;
      const names = new Set(stored.map(nameOf));
      for (const [name, { shared }] of memory.limits) if (shared && !names.has(name)) memory.limits.delete(name);
      for (const limit of stored) {
        const expiresAt = limit.learnedAt + statedMs;
        const known = memory.limits.get(nameOf(limit));
        const isNews = known === undefined || (known.shared && !isSame(known, limit));
        if (isNews && expiresAt > now())
          memory.limits.set(nameOf(limit), { tenant, ...limit, expiresAt, shared: true });
      }
    } catch (error) {
      onStoreError(error);
    }
  };
  const write = (tenant: string, work: (limits: StoredLimits) => Promise<unknown>) => {
    if (store === undefined) return;
    const memory = memoryOf(tenant);
    memory.writing += 1;
    work(store.of(tenant).limits)
      .catch(onStoreError)
      .finally(() => {
        memory.writing -= 1;
      });
  };
  const current = (limit: Held | undefined) => (limit !== undefined && limit.expiresAt > now() ? limit : undefined);
  const learn = (key: LimitKey, found: Partial<Found>, evidence: string, forMs: number, shared: boolean) => {
    const { limits } = memoryOf(key.tenant);
    const learnedAt = now();
    const known = current(limits.get(nameOf(key)));
    const { contextWindow = known?.contextWindow, maxOutputTokens = known?.maxOutputTokens } = found;
    const limit = { ...key, contextWindow, maxOutputTokens, evidence, learnedAt, expiresAt: learnedAt + forMs, shared };
    limits.set(nameOf(key), limit);
    return limit;
  };
  const learnShared = (key: LimitKey, found: Partial<Found>, evidence: string) => {
    const { upstream, model, contextWindow, maxOutputTokens } = learn(key, found, evidence, statedMs, true);
    write(key.tenant, (limits) => limits.put({ upstream, model, contextWindow, maxOutputTokens, evidence }));
  };
  const forget = (key: LimitKey) => {
    const had = memoryOf(key.tenant).limits.delete(nameOf(key));
    if (had) write(key.tenant, (limits) => limits.remove(key.upstream, key.model));
    return had;
  };
  return {
    load: (tenant) => {
      const memory = memoryOf(tenant);
      if (store !== undefined && memory.ready === undefined && now() - memory.readAt >= readAgainMs) {
        void read(store, tenant, memory, true);
      }
      return memory.ready;
    },
    limitOf: (key) => current(memoryOf(key.tenant).limits.get(nameOf(key))),
    provenOf: (key) => memoryOf(key.tenant).proven.get(nameOf(key)) ?? 0,
    learnStated: (key, window, evidence) => {
      // What was proven before the upstream changed its limit no longer counts.
      memoryOf(key.tenant).proven.delete(nameOf(key));
      learnShared(key, { contextWindow: window }, evidence);
    },
    learnAnswer: (key, tokens, evidence) => learnShared(key, { maxOutputTokens: tokens }, evidence),
    learnConcluded: (key, window, evidence) => {
      memoryOf(key.tenant).proven.delete(nameOf(key));
      learn(key, { contextWindow: window }, evidence, concludedMs, false);
    },
    suspect: (key, tokens) => {
      const { suspected } = memoryOf(key.tenant);
      const before = suspected.get(nameOf(key));
      suspected.set(nameOf(key), { tokens, at: now() });
      return before !== undefined && now() - before.at < concludedMs;
    },
    prove: (key, tokens) => {
      const { limits, proven, suspected } = memoryOf(key.tenant);
      const name = nameOf(key);
      if (tokens >= (suspected.get(name)?.tokens ?? Number.POSITIVE_INFINITY)) suspected.delete(name);
      if (tokens > (proven.get(name) ?? 0)) proven.set(name, tokens);
      const limit = limits.get(name);
      if (limit?.contextWindow !== undefined && tokens > limit.contextWindow) forget(key);
    },
    forget,
    list: (tenant) =>
      (tenant === undefined ? [...tenants.values()] : [memoryOf(tenant)]).flatMap(({ limits }) =>
        [...limits.values()].filter((limit) => current(limit) !== undefined),
      ),
  };
}

const isSame = (a: Found, b: Found) => a.contextWindow === b.contextWindow && a.maxOutputTokens === b.maxOutputTokens;

const nameOf = ({ upstream, model }: Pick<LimitKey, "upstream" | "model">) => `${upstream}\n${model}`;
