import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "@midfold/store";
import { LRUCache } from "lru-cache";

export interface KeptAnswersOptions {
  /** With a store, answers survive the process and are known to every replica. */
  readonly store: Store | undefined;
  readonly keepMs: number;
  /** Bytes of conversations kept in memory at once; the oldest go first. */
  readonly maxBytes: number;
  readonly now: () => number;
  readonly onStoreError: (error: unknown) => void;
}

/** An answer that a client may continue. */
export interface NewAnswer {
  readonly id: string;
  /** The answer that the request itself continued, and how many items came before. */
  readonly previous: PreviousAnswer | undefined;
  /** The same for every answer of a conversation. */
  readonly conversation: string | undefined;
  /** The whole conversation, this answer included. */
  readonly items: readonly unknown[];
  readonly bytes: number;
}

export interface PreviousAnswer {
  readonly id: string;
  readonly length: number;
}

/** Answers a client may continue by their id, each with the whole conversation up to it. Separate for each tenant. */
export interface KeptAnswers {
  /** Known here at once, and stored a moment later; only waits when the store is far behind. Never rejects. */
  put(tenant: string, answer: NewAnswer): Promise<void> | undefined;
  /** Waits a moment for an unknown one, which another replica may just be storing; not where none is expected. */
  get(tenant: string, id: string, expected?: boolean): Promise<readonly unknown[] | undefined>;
  /** Resolves when everything so far is stored. */
  idle(): Promise<void>;
}

interface Kept {
  readonly items: readonly unknown[];
  readonly bytes: number;
  readonly until: number;
  /** How many stored answers it consists of, and when the first of them was stored. */
  readonly links: number;
  readonly since: number;
}

/**
 * What is stored of an answer: what it adds to another one, so that a conversation is stored once and not once per
 * answer.
 */
interface StoredAnswer {
  readonly previous?: string;
  /** How many items of `previous` come before those here; all of them when absent. */
  readonly shared?: number;
  readonly items: readonly unknown[];
}

/** No real conversation has a longer chain. */
const longestChain = 5_000;
/**
 * How often, and for how long, a conversation that a client sends as a whole is stored as an addition to an earlier
 * answer.
 */
const mostLinks = 64;
const longestSpanMs = 24 * 3_600_000;
const pruneEveryMs = 6 * 3_600_000;
/** Bytes of answers that may wait for the store. */
const mostWaitingBytes = 16 * 1024 * 1024;
/** How long another replica is given to store an answer, in steps. */
const patienceMs = [25, 50, 100, 200];

export function createKeptAnswers({ store, keepMs, maxBytes, now, onStoreError }: KeptAnswersOptions): KeptAnswers {
  const kept = new Map<string, Kept>();
  /** These are kept until they are stored, whatever else is dropped. */
  const unstored = new Map<string, Kept>();
  const writing = new Set<Promise<void>>();
  /** The newest answer of each conversation. */
  const newest = new LRUCache<string, string>({ max: 10_000 });
  const prunedAt = new LRUCache<string, number>({ max: 10_000 });
  let total = 0;
  let waitingBytes = 0;
  const drop = (key: string) => {
    total -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };
  const keep = (key: string, answer: Kept) => {
    drop(key);
    kept.set(key, answer);
    total += answer.bytes;
    for (const [oldest, { until }] of kept) {
      if (total <= maxBytes && until > now()) break;
      drop(oldest);
    }
  };
  const inMemory = (key: string) => {
    const found = kept.get(key) ?? unstored.get(key);
    return found !== undefined && found.until > now() ? found : undefined;
  };
  /** How much of its conversation's newest answer it begins with, for a client that sends all of it each time. */
  const baseOf = (tenant: string, { conversation, items }: NewAnswer): PreviousAnswer | undefined => {
    const id = conversation === undefined ? undefined : newest.get(keyOf(tenant, conversation));
    const base = id === undefined ? undefined : inMemory(keyOf(tenant, id));
    if (id === undefined || base === undefined) return undefined;
    if (base.links >= mostLinks || now() - base.since > longestSpanMs) return undefined;
    const length = sharedLength(base.items, items);
    // An addition that repeats most of it would only make the chain longer.
    return length * 2 < items.length ? undefined : { id, length };
  };
  /** Stored beside the folds: encrypted, per owner, and deleted when unused for as long as folds are kept. */
  const write = async (to: Store, tenant: string, id: string, record: StoredAnswer) => {
    const { folds } = to.of(tenant);
    await folds.putSoon({ prefix: placeOf(id), covered: 0, record });
    if (now() - (prunedAt.get(tenant) ?? 0) < pruneEveryMs) return;
    prunedAt.set(tenant, now());
    await folds.prune(now() - keepMs);
  };
  const storeSoon = (to: Store, tenant: string, id: string, record: StoredAnswer, answer: Kept): Promise<void> => {
    const key = keyOf(tenant, id);
    const bytes = (answer.bytes * record.items.length) / Math.max(1, answer.items.length);
    unstored.set(key, answer);
    waitingBytes += bytes;
    const written = write(to, tenant, id, record)
      .catch((error: unknown) => {
        // Nothing may be stored as an addition to an answer that is not stored.
        if (kept.has(key)) kept.set(key, { ...answer, links: mostLinks });
        onStoreError(error);
      })
      .finally(() => {
        unstored.delete(key);
        waitingBytes -= bytes;
        writing.delete(written);
      });
    writing.add(written);
    return written;
  };
  const read = async (from: Store, tenant: string, id: string): Promise<unknown[] | undefined> => {
    const records: StoredAnswer[] = [];
    const items: unknown[] = [];
    for (let at: string | undefined = id; at !== undefined && records.length < longestChain; ) {
      const known = inMemory(keyOf(tenant, at));
      if (known !== undefined) {
        for (const item of known.items) items.push(item);
        break;
      }
      const stored = await from.of(tenant).folds.find([placeOf(at)]);
      if (stored === undefined || stored.createdAt + keepMs < now()) return undefined;
      const record = stored.record as StoredAnswer;
      records.push(record);
      at = record.previous;
    }
    for (const { shared, items: added } of records.reverse()) {
      if (shared !== undefined) items.length = shared;
      for (const item of added) items.push(item);
    }
    return items;
  };
  const readPatiently = async (from: Store, tenant: string, id: string) => {
    for (const ms of patienceMs) {
      const items = await read(from, tenant, id);
      if (items !== undefined) return items;
      await sleep(ms);
    }
    return read(from, tenant, id);
  };
  return {
    put: (tenant, received) => {
      const { id, previous, conversation, bytes } = received;
      const key = keyOf(tenant, id);
      const at = now();
      const base = previous ?? (store === undefined ? undefined : baseOf(tenant, received));
      const before = base === undefined ? undefined : inMemory(keyOf(tenant, base.id));
      const links = (base === undefined ? 0 : (before?.links ?? mostLinks)) + 1;
      const since = base === undefined ? at : (before?.since ?? 0);
      const added = received.items.slice(base?.length ?? 0);
      // The objects of the earlier answer, so that a conversation is in memory once.
      const items = before === undefined ? received.items : [...before.items.slice(0, base?.length), ...added];
      const answer: Kept = { items, bytes, until: at + keepMs, links, since };
      keep(key, answer);
      if (store === undefined) return undefined;
      if (conversation !== undefined) newest.set(keyOf(tenant, conversation), id);
      const record: StoredAnswer = {
        ...(base === undefined ? {} : { previous: base.id }),
        ...(base === undefined || previous !== undefined ? {} : { shared: base.length }),
        items: added,
      };
      const written = storeSoon(store, tenant, id, record, answer);
      return waitingBytes > mostWaitingBytes ? written : undefined;
    },
    get: async (tenant, id, expected = true) => {
      const key = keyOf(tenant, id);
      const known = inMemory(key);
      if (known !== undefined || store === undefined) return known?.items;
      try {
        const items = await (expected ? readPatiently : read)(store, tenant, id);
        if (items === undefined) return undefined;
        const bytes = JSON.stringify(items).length;
        keep(key, { items, bytes, until: now() + keepMs, links: mostLinks, since: 0 });
        return items;
      } catch (error) {
        onStoreError(error);
        return undefined;
      }
    },
    idle: async () => {
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}

const keyOf = (tenant: string, id: string) => `${tenant}\n${id}`;
const placeOf = (id: string) => `answer:${id}`;

/** How many items two conversations begin with in common. */
function sharedLength(left: readonly unknown[], right: readonly unknown[]): number {
  let length = 0;
  while (length < left.length && length < right.length && isSame(left[length], right[length])) length += 1;
  return length;
}

/** The same JSON, fields in the same order. Mostly the very same object (`value-memo.ts`), unless that was forgotten. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isObject(left) || !isObject(right) || Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  const others = Object.keys(right);
  return (
    names.length === others.length && names.every((name, at) => name === others[at] && isSame(left[name], right[name]))
  );
}

const isObject = (item: unknown): item is Readonly<Record<string, unknown>> =>
  typeof item === "object" && item !== null;
