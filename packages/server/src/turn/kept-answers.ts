import type { Store } from "@midfold/store";
import { LRUCache } from "lru-cache";

export interface KeptAnswersOptions {
  /** With one, answers outlive the process and are known to every replica. */
  readonly store: Store | undefined;
  readonly keepMs: number;
  /** Bytes of conversations kept in memory at once; the oldest go first. */
  readonly maxBytes: number;
  readonly now: () => number;
  readonly onStoreError: (error: unknown) => void;
}

/** An answer that a client may go on from. */
export interface NewAnswer {
  readonly id: string;
  /** The answer that the request itself went on from, and how many items led up to it. */
  readonly previous: PreviousAnswer | undefined;
  /** The whole conversation, this answer included. */
  readonly items: readonly unknown[];
  readonly bytes: number;
}

export interface PreviousAnswer {
  readonly id: string;
  readonly length: number;
}

/** Answers a client may go on from by their id, each with the whole conversation up to it. One tenant's are not another's. */
export interface KeptAnswers {
  /** Resolves when other replicas know it too. Never rejects. */
  put(tenant: string, answer: NewAnswer): Promise<void>;
  get(tenant: string, id: string): Promise<readonly unknown[] | undefined>;
}

interface Kept {
  readonly items: readonly unknown[];
  readonly bytes: number;
  readonly until: number;
}

/** What is stored of an answer: what it adds to the one before. A conversation is stored once, not once per answer. */
interface StoredAnswer {
  readonly previous?: string;
  readonly items: readonly unknown[];
}

/** Longer chains are no conversation of a person or an agent. */
const longestChain = 5_000;
const pruneEveryMs = 6 * 3_600_000;

export function createKeptAnswers({ store, keepMs, maxBytes, now, onStoreError }: KeptAnswersOptions): KeptAnswers {
  const kept = new Map<string, Kept>();
  const prunedAt = new LRUCache<string, number>({ max: 10_000 });
  let total = 0;
  const drop = (key: string) => {
    total -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };
  const keep = (tenant: string, id: string, items: readonly unknown[], bytes: number) => {
    const key = `${tenant}\n${id}`;
    drop(key);
    kept.set(key, { items, bytes, until: now() + keepMs });
    total += bytes;
    for (const [oldest, { until }] of kept) {
      if (total <= maxBytes && until > now()) break;
      drop(oldest);
    }
  };
  const inMemory = (tenant: string, id: string) => {
    const found = kept.get(`${tenant}\n${id}`);
    return found !== undefined && found.until > now() ? found.items : undefined;
  };
  /** Stored beside the folds: encrypted, per owner, and forgotten when nobody has met them for as long as is kept. */
  const write = async (to: Store, tenant: string, { id, previous, items }: NewAnswer) => {
    const { folds } = to.of(tenant);
    const record: StoredAnswer = {
      ...(previous === undefined ? {} : { previous: previous.id }),
      items: items.slice(previous?.length ?? 0),
    };
    await folds.put({ prefix: placeOf(id), covered: 0, record });
    if (now() - (prunedAt.get(tenant) ?? 0) < pruneEveryMs) return;
    prunedAt.set(tenant, now());
    await folds.prune(now() - keepMs);
  };
  const read = async (from: Store, tenant: string, id: string) => {
    const pieces: (readonly unknown[])[] = [];
    for (let at: string | undefined = id; at !== undefined && pieces.length < longestChain; ) {
      const known = inMemory(tenant, at);
      if (known !== undefined) {
        pieces.push(known);
        break;
      }
      const stored = await from.of(tenant).folds.find([placeOf(at)]);
      if (stored === undefined || stored.createdAt + keepMs < now()) return undefined;
      const { previous, items } = stored.record as StoredAnswer;
      pieces.push(items);
      at = previous;
    }
    return pieces.reverse().flat();
  };
  return {
    put: async (tenant, answer) => {
      keep(tenant, answer.id, answer.items, answer.bytes);
      if (store !== undefined) await write(store, tenant, answer).catch(onStoreError);
    },
    get: async (tenant, id) => {
      const known = inMemory(tenant, id);
      if (known !== undefined || store === undefined) return known;
      try {
        const items = await read(store, tenant, id);
        if (items !== undefined) keep(tenant, id, items, JSON.stringify(items).length);
        return items;
      } catch (error) {
        onStoreError(error);
        return undefined;
      }
    },
  };
}

const placeOf = (id: string) => `answer:${id}`;
