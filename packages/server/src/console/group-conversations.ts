import { MidfoldError } from "@midfold/core";
import type { ChangeByHand, Conversation, ConversationDetail, ConversationPoint } from "../api/console-schemas.ts";
import { hasWords, type RequestRecord } from "../requests/request-record.ts";
import { decode, mayLeaveOut } from "./break-down.ts";
import { type HandEdits, type MessageMark, markOf } from "./by-hand.ts";

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
export function conversationDetail(group: readonly RequestRecord[], id: string, edits: HandEdits): ConversationDetail {
  return {
    ...describe(id, group),
    series: group.map(toPoint).reverse(),
    byHand: toApiByHand(edits),
    capturedRequestId: group.find(hasWords)?.id ?? null,
  };
}

export const toApiByHand = ({ fold, pinned, leftOut }: HandEdits) => ({
  fold,
  pinned: pinned.map(({ index }) => index),
  leftOut: leftOut.map(({ index }) => index),
});

/** The edits after a requested change; throws where it is not possible. `group` is ordered newest first. */
export async function changeByHand(
  edits: HandEdits,
  wish: ChangeByHand,
  group: readonly RequestRecord[],
  readWords: (record: RequestRecord) => Promise<RequestRecord>,
): Promise<HandEdits> {
  const fold = wish.fold ?? edits.fold;
  const { message: index } = wish;
  if (index === undefined) return { ...edits, fold };
  const kept = group.find(hasWords);
  const newest = kept === undefined ? undefined : await readWords(kept);
  const messages = newest?.content?.before;
  if (newest === undefined || !Array.isArray(messages) || index >= messages.length) {
    throw new MidfoldError(
      "NOT_FOUND",
      "That message was not kept. Single messages can be chosen while server.capture is on.",
    );
  }
  if (wish.leftOut === true && !mayLeaveOut(decode(newest.protocol, messages), index)) {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      "This message has to stay: it is the system prompt, the first, the last, or part of a tool call.",
    );
  }
  const mark = markOf(messages[index], index);
  const change = (marks: readonly MessageMark[], wanted: boolean | undefined) => {
    if (wanted === undefined) return marks;
    const others = marks.filter((known) => known.index !== index);
    return wanted ? [...others, mark].toSorted((a, b) => a.index - b.index) : others;
  };
  const pinned = change(edits.pinned, wish.leftOut === true ? false : wish.pinned);
  const leftOut = change(edits.leftOut, wish.pinned === true ? false : wish.leftOut);
  return { fold, pinned, leftOut };
}

function describe(id: string, group: readonly RequestRecord[]): Conversation {
  const newest = group[0] as RequestRecord;
  const oldest = group.at(-1) as RequestRecord;
  return {
    id,
    title: oldest.title ?? newest.title ?? null,
    client: newest.client,
    model: newest.model,
    firstAt: oldest.at,
    lastAt: newest.at,
    requests: group.length,
    // Not by record: a new question adds excerpts to the record of an earlier fold, without folding again.
    folds: group.filter(({ outcome }) => outcome === "folded").length,
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
    state: record.state,
    foldId: record.foldId ?? null,
    cached: record.usage?.cached ?? null,
  };
}
