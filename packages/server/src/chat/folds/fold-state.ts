import { type ChatBreaker, closedBreaker } from "@midfold/core/chat";
import type { OwnerStore } from "@midfold/store";
import type { ChatFold } from "../../api/folds.ts";

/**
 * What replicas must agree on about a session's folds is stored beside its settings: it is deleted with the session,
 * and writing it does not change the session or its history.
 */
const breakerKey = "state.fold-breaker";
const recordPrefix = "state.fold:";
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
export async function listFolds(store: OwnerStore, sessionId: string): Promise<readonly ChatFold[]> {
  const stored = await store.settings.get(scope(sessionId));
  return Object.entries(stored)
    .flatMap(([key, value]) => (key.startsWith(recordPrefix) ? [value as ChatFold] : []))
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : 0));
}

export async function findFold(store: OwnerStore, sessionId: string, id: string): Promise<ChatFold | undefined> {
  return (await store.settings.get(scope(sessionId)))[recordPrefix + id] as ChatFold | undefined;
}

/** Stores the state of a fold and deletes the oldest ones beyond a fixed number. */
export async function saveFold(store: OwnerStore, fold: ChatFold): Promise<void> {
  const others = (await listFolds(store, fold.sessionId)).filter(({ id }) => id !== fold.id);
  const forgotten = others.slice(keptRecords - 1).map(({ id }) => [recordPrefix + id, undefined] as const);
  await store.settings.set(scope(fold.sessionId), {
    ...Object.fromEntries(forgotten),
    [recordPrefix + fold.id]: fold,
  });
}
