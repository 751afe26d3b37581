import { type ChatBreaker, closedBreaker } from "@midfold/core/chat";
import type { OwnerStore } from "@midfold/store";
import type { Compression } from "../../api/compression.ts";

/**
 * What replicas must agree on about a session's compressions lives beside its settings: it goes when the session goes,
 * and writing it is neither an edit of the session nor of its history.
 */
const breakerKey = "state.compression-breaker";
const recordPrefix = "state.compression:";
const keptRecords = 20;

const scope = (sessionId: string) => ({ kind: "session", sessionId }) as const;

export async function readBreaker(store: OwnerStore, sessionId: string): Promise<ChatBreaker> {
  const stored = (await store.settings.get(scope(sessionId)))[breakerKey];
  return (stored as ChatBreaker | undefined) ?? closedBreaker;
}

export async function saveBreaker(store: OwnerStore, sessionId: string, breaker: ChatBreaker): Promise<void> {
  await store.settings.set(scope(sessionId), { [breakerKey]: breaker.failures === 0 ? undefined : breaker });
}

/** Newest first. */
export async function listCompressions(store: OwnerStore, sessionId: string): Promise<readonly Compression[]> {
  const stored = await store.settings.get(scope(sessionId));
  return Object.entries(stored)
    .flatMap(([key, value]) => (key.startsWith(recordPrefix) ? [value as Compression] : []))
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : 0));
}

export async function findCompression(
  store: OwnerStore,
  sessionId: string,
  id: string,
): Promise<Compression | undefined> {
  return (await store.settings.get(scope(sessionId)))[recordPrefix + id] as Compression | undefined;
}

/** Stores where a compression stands and forgets the oldest beyond a fixed number. */
export async function saveCompression(store: OwnerStore, compression: Compression): Promise<void> {
  const others = (await listCompressions(store, compression.sessionId)).filter(({ id }) => id !== compression.id);
  const forgotten = others.slice(keptRecords - 1).map(({ id }) => [recordPrefix + id, undefined] as const);
  await store.settings.set(scope(compression.sessionId), {
    ...Object.fromEntries(forgotten),
    [recordPrefix + compression.id]: compression,
  });
}
