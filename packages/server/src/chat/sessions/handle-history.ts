import { MidfoldError } from "@midfold/core";
import type { MessageRecord, OwnerStore, SearchHit as StoredHit, SummaryRecord } from "@midfold/store";
import type { SearchHit, SearchResult } from "../../api/history.ts";
import type { ApiMessage } from "../../api/message.ts";
import { isSendable } from "../context/to-message.ts";
import { publishEvent } from "../events/publish-event.ts";
import type { Handler } from "../http/handler.ts";
import { settleStale } from "../turn/settle-abandoned.ts";
import { isFolded, toApiMessage } from "./to-api-message.ts";

export const listMessages: Handler<"listMessages"> = async ({ chat, params, query }) => {
  const { sessionId } = params;
  const [summary, totals] = await Promise.all([
    chat.store.snapshots.activeSummary(sessionId),
    chat.store.messages.totals(sessionId),
  ]);
  let page = await readPage(chat.store, sessionId, query);
  if (await settleStale(chat, sessionId, page)) page = await readPage(chat.store, sessionId, query);
  const shown = query.hidden ? page : page.filter((record) => record.visibility !== "person");
  const first = page[0];
  const last = page.at(-1);
  const session = await chat.store.sessions.get(sessionId);
  return {
    messages: shown.map((record) => toApiMessage(record, summary)),
    total: totals.messages,
    before:
      first !== undefined && (await exists(chat.store, sessionId, { before: first.seq })) ? String(first.seq) : null,
    after: last !== undefined && last.seq < session.lastSeq ? String(last.seq) : null,
  };
};

export const getMessage: Handler<"getMessage"> = async ({ store, params }) =>
  toApiMessage(
    await store.messages.get(params.sessionId, params.messageId),
    await store.snapshots.activeSummary(params.sessionId),
  );

export const hideMessage: Handler<"hideMessage"> = (request) => setVisibility(request, "person");

export const restoreMessage: Handler<"restoreMessage"> = (request) => setVisibility(request, "all");

async function setVisibility(
  { chat, params }: Parameters<typeof hideMessage>[0],
  visibility: "person" | "all",
): Promise<ApiMessage> {
  const { sessionId, messageId } = params;
  const found = await chat.store.messages.get(sessionId, messageId);
  if (found.status === "streaming") {
    throw new MidfoldError("VERSION_CONFLICT", "This reply is still being written. Stop it first.");
  }
  const before = await chat.store.snapshots.activeSummary(sessionId);
  if ((found.visibility === "person") === (visibility === "person")) return toApiMessage(found, before);
  const record = await chat.store.messages.edit(sessionId, messageId, { visibility });
  const summary = await chat.store.snapshots.activeSummary(sessionId);
  await publishEvent(chat, { type: "message.updated", sessionId, messageId });
  if (summary?.id !== before?.id) {
    await publishEvent(chat, { type: "summary.changed", sessionId, activeId: summary?.id ?? null });
  }
  await publishEvent(chat, { type: "usage.changed", sessionId });
  return toApiMessage(record, summary);
}

export const searchSession: Handler<"searchSession"> = async ({ store, params, query }) => {
  await store.sessions.get(params.sessionId);
  return search(store, query, params.sessionId);
};

export const searchAll: Handler<"searchAll"> = ({ store, query }) => search(store, query);

interface SearchInput {
  readonly q: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

async function search(store: OwnerStore, query: SearchInput, sessionId?: string): Promise<SearchResult> {
  const page = await store.messages.search(query.q, {
    limit: query.limit,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(query.cursor === undefined ? {} : { after: query.cursor }),
  });
  const ids = new Set(page.items.map(({ message }) => message.sessionId));
  const summaries = new Map(
    await Promise.all([...ids].map(async (id) => [id, await store.snapshots.activeSummary(id)] as const)),
  );
  return {
    query: query.q,
    total: page.count,
    totalIsExact: page.countIsExact,
    hits: page.items.map((hit) => toHit(hit, summaries.get(hit.message.sessionId), query.q)),
    next: page.next ?? null,
  };
}

function toHit(
  { message, sessionTitle, snippet, highlights }: StoredHit,
  summary: SummaryRecord | undefined,
  words: string,
): SearchHit {
  return {
    sessionId: message.sessionId,
    sessionTitle,
    messageId: message.id,
    sequence: message.seq,
    role: message.role,
    createdAt: new Date(message.createdAt).toISOString(),
    excerpt: snippet,
    highlights: highlights.map(([start, end]) => [start, end]),
    place: placeOf(message, summary, words),
    summaryId: isFolded(message, summary) ? (summary?.id ?? null) : null,
    tokens: message.inputTokens ?? message.outputTokens ?? null,
  };
}

/** Where the words are now: in the next request, in the summary, or only in the folded originals. */
function placeOf(message: MessageRecord, summary: SummaryRecord | undefined, words: string): SearchHit["place"] {
  if (message.visibility === "person") return "hidden";
  if (!isFolded(message, summary)) return isSendable(message) ? "in-context" : "hidden";
  const text = summary?.content.summaryText.toLowerCase() ?? "";
  return words
    .toLowerCase()
    .replaceAll('"', "")
    .split(/\s+/)
    .every((word) => text.includes(word))
    ? "in-summary"
    : "folded";
}

async function readPage(
  store: OwnerStore,
  sessionId: string,
  query: { before?: string | undefined; after?: string | undefined; around?: string | undefined; limit: number },
): Promise<readonly MessageRecord[]> {
  const { limit } = query;
  if (query.around !== undefined) {
    const { seq } = await store.messages.get(sessionId, query.around);
    const half = Math.max(1, Math.floor(limit / 2));
    const older = await store.messages.list(sessionId, { before: seq + 1, limit: half, newestFirst: true });
    return [...older.toReversed(), ...(await store.messages.list(sessionId, { after: seq, limit: half }))];
  }
  if (query.after !== undefined) return store.messages.list(sessionId, { after: cursorOf(query.after), limit });
  const before = query.before === undefined ? {} : { before: cursorOf(query.before) };
  return (await store.messages.list(sessionId, { ...before, limit, newestFirst: true })).toReversed();
}

async function exists(store: OwnerStore, sessionId: string, bounds: { before: number }): Promise<boolean> {
  return (await store.messages.list(sessionId, { ...bounds, limit: 1 })).length > 0;
}

function cursorOf(text: string): number {
  const seq = Number(text);
  if (Number.isSafeInteger(seq) && seq >= 0) return seq;
  throw new MidfoldError("VALIDATION_ERROR", "A cursor comes from `before` or `after` of another page.");
}
