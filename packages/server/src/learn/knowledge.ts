import type { Store } from "@midfold/store";

/** A limit an upstream revealed, by refusing a request or by cutting it silently. */
export interface KnownLimit {
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly evidence: string;
  readonly learnedAt: number;
  /** Milliseconds since 1970; what was only concluded, not said, is forgotten and put to the test again. */
  readonly expiresAt?: number | undefined;
}

export interface LearnedLimit extends KnownLimit {
  readonly tenant: string;
  readonly upstream: string;
  readonly model: string;
}

/** What upstreams taught us, per tenant. Answers from memory; the store is read once per tenant and written behind. */
export interface Knowledge {
  /** Resolves when what the store remembers of this tenant is in memory. */
  recall(tenant: string): Promise<void> | undefined;
  limitOf(tenant: string, upstream: string, model: string): KnownLimit | undefined;
  learnLimit(limit: Omit<LearnedLimit, "learnedAt">): void;
  limits(tenant: string | undefined): readonly LearnedLimit[];
}

export interface KnowledgeOptions {
  readonly store: Store | undefined;
  readonly now: () => number;
  /** Told when the store could not be read or written; the request goes on without it. */
  readonly onStoreError: (error: unknown) => void;
}

const maxTenants = 10_000;

export function createKnowledge(options: KnowledgeOptions): Knowledge {
  const { store, now, onStoreError } = options;
  const tenants = new Map<
    string,
    { readonly limits: Map<string, LearnedLimit>; readonly ready: Promise<void> | undefined }
  >();

  const memoryOf = (tenant: string) => {
    const found = tenants.get(tenant);
    if (found !== undefined) return found;
    if (tenants.size >= maxTenants) tenants.clear();
    const limits = new Map<string, LearnedLimit>();
    const memory = { limits, ready: store === undefined ? undefined : load(store, tenant, limits) };
    tenants.set(tenant, memory);
    return memory;
  };
  const load = async (from: Store, tenant: string, limits: Map<string, LearnedLimit>) => {
    try {
      for (const limit of await from.of(tenant).limits.list()) {
        const key = keyOf(limit.upstream, limit.model);
        if (!limits.has(key)) limits.set(key, { tenant, ...limit });
      }
    } catch (error) {
      onStoreError(error);
    }
  };
  return {
    recall: (tenant) => memoryOf(tenant).ready,
    limitOf: (tenant, upstream, model) => {
      const { limits } = memoryOf(tenant);
      const limit = limits.get(keyOf(upstream, model));
      if (limit?.expiresAt === undefined || limit.expiresAt > now()) return limit;
      limits.delete(keyOf(upstream, model));
      return undefined;
    },
    learnLimit: (limit) => {
      const { tenant, expiresAt, ...rest } = limit;
      memoryOf(tenant).limits.set(keyOf(limit.upstream, limit.model), { ...limit, learnedAt: now() });
      if (expiresAt === undefined) store?.of(tenant).limits.put(rest).catch(onStoreError);
    },
    limits: (tenant) =>
      tenant === undefined
        ? [...tenants.values()].flatMap(({ limits }) => [...limits.values()])
        : [...memoryOf(tenant).limits.values()],
  };
}

const keyOf = (upstream: string, model: string) => `${upstream}\n${model}`;
