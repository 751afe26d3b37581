import { MidfoldError } from "@midfold/core";
import type { LoggedRequest, OwnerStore } from "@midfold/store";

/** What a past request consisted of, by reference: enough to show it again exactly without storing it twice. */
export interface TurnFacts {
  readonly replyId: string;
  readonly summaryId: string | null;
  /** Runs of message sequences that were sent, first and last. */
  readonly sent: readonly (readonly [number, number])[];
  readonly window: number | null;
  readonly threshold: number | null;
  readonly exact: boolean;
}

export interface LoggedTurn extends TurnFacts {
  readonly at: number;
  readonly model: string;
  readonly tokens: number;
  readonly messages: number;
  readonly providerTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

const pageSize = 200;

/** Turns of a session, oldest first. */
export async function readTurns(store: OwnerStore, sessionId: string): Promise<readonly LoggedTurn[]> {
  await store.sessions.get(sessionId);
  await store.requests.flush();
  const turns: LoggedTurn[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.requests.list({ sessionId, limit: pageSize, ...(after === undefined ? {} : { after }) });
    for (const entry of page.items) {
      const turn = toTurn(entry);
      if (turn !== undefined) turns.push(turn);
    }
    if (page.next === undefined) return turns.reverse();
    after = page.next;
  }
}

/** The turn of a reply. */
export async function publishedTurn(store: OwnerStore, sessionId: string, replyId: string): Promise<LoggedTurn> {
  const turn = (await readTurns(store, sessionId)).find((entry) => entry.replyId === replyId);
  if (turn !== undefined) return turn;
  throw new MidfoldError(
    "NOT_FOUND",
    "No request is on record for this reply; it may be older than the log, or imported.",
  );
}

/** Consecutive numbers as runs. */
export function runsOf(sequences: readonly number[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const seq of sequences) {
    const last = runs.at(-1);
    if (last !== undefined && seq === last[1] + 1) last[1] = seq;
    else runs.push([seq, seq]);
  }
  return runs;
}

function toTurn(entry: LoggedRequest): LoggedTurn | undefined {
  const facts = entry.details?.turn as TurnFacts | undefined;
  if (facts === undefined) return undefined;
  return {
    ...facts,
    at: entry.at,
    model: entry.model,
    tokens: entry.tokensAfter,
    messages: entry.messagesAfter,
    providerTokens: entry.inputTokens,
    outputTokens: entry.outputTokens,
  };
}
