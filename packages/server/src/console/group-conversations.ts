import type { Conversation, ConversationDetail, ConversationPoint } from "../api/console-schemas.ts";
import type { RequestRecord } from "../requests/request-record.ts";

/** The conversations among the requests, most recent first. `records` come newest first. */
export function groupConversations(records: Iterable<RequestRecord>): Conversation[] {
  const groups = new Map<string, RequestRecord[]>();
  for (const record of records) {
    if (record.conversationId === undefined) continue;
    const group = groups.get(record.conversationId);
    if (group === undefined) groups.set(record.conversationId, [record]);
    else group.push(record);
  }
  return [...groups].map(([id, group]) => describe(id, group));
}

/** One conversation with its size at every request, oldest first. */
export function conversationDetail(records: Iterable<RequestRecord>, id: string): ConversationDetail | undefined {
  const group = [...records].filter((record) => record.conversationId === id);
  if (group.length === 0) return undefined;
  return { ...describe(id, group), series: group.map(toPoint).reverse() };
}

function describe(id: string, group: readonly RequestRecord[]): Conversation {
  const newest = group[0] as RequestRecord;
  const oldest = group.at(-1) as RequestRecord;
  return {
    id,
    client: newest.client,
    model: newest.model,
    firstAt: oldest.at,
    lastAt: newest.at,
    requests: group.length,
    folds: new Set(group.flatMap(({ foldId }) => foldId ?? [])).size,
    tokensBefore: newest.tokensBefore,
    tokensAfter: newest.tokensAfter,
    window: newest.window,
  };
}

function toPoint(record: RequestRecord): ConversationPoint {
  return {
    requestId: record.id,
    at: record.at,
    messages: record.messagesBefore,
    tokensBefore: record.tokensBefore,
    tokensAfter: record.tokensAfter,
    budget: Math.max(0, record.budget),
    window: record.window,
    outcome: record.outcome,
    foldId: record.foldId ?? null,
    cached: record.usage?.cached ?? null,
  };
}
