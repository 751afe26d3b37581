import { isMidfoldError, type Part } from "@midfold/core";
import type { MessageEnding, MessageRecord, OwnerStore } from "@midfold/store";
import type { Chat } from "../chat.ts";
import { historyBudget } from "../context/history-budget.ts";
import type { LoadedContext } from "../context/load-context.ts";
import { recalledNow } from "../context/recall-folded.ts";
import { endingPart, recalledPart, toMessage } from "../context/to-message.ts";
import { publishEvent } from "../events/publish-event.ts";
import { isCancel } from "../folds/track-fold.ts";
import { toProblem } from "../http/write-problem.ts";
import { nameSession } from "../sessions/name-session.ts";
import type { CollectedReply } from "./collect-reply.ts";
import type { PreparedTurn } from "./prepare-turn.ts";
import { runsOf, type TurnFacts } from "./turn-log.ts";

export interface SaveOptions {
  readonly loaded: LoadedContext | undefined;
  readonly error: unknown;
  /** Whether somebody asked for the end: the user, or a client that disconnected. */
  readonly stopped: boolean;
}

/** Ends a reply: stores what arrived, how it ended and what it cost, and tells everyone. */
export async function saveReply(
  chat: Chat,
  turn: PreparedTurn,
  reply: CollectedReply,
  options: SaveOptions,
): Promise<MessageRecord> {
  const ending = endingOf(turn, reply, options);
  const record = await finish(chat.store, turn, ending);
  logTurn(chat.store, turn, record, reply, options, chat.now());
  if (record.status === "complete") {
    await nameSession(chat, {
      session: turn.session,
      question: toMessage(turn.user),
      answer: { role: "assistant", parts: reply.parts },
      model: options.loaded?.model,
    });
  }
  const { id: sessionId } = turn.session;
  await publishEvent(chat, { type: "message.updated", sessionId, messageId: record.id });
  await publishEvent(chat, { type: "usage.changed", sessionId });
  return record;
}

function endingOf(turn: PreparedTurn, reply: CollectedReply, { loaded, error, stopped }: SaveOptions): MessageEnding {
  const failed = error !== undefined;
  const counter = loaded?.model.counter;
  const words = { role: "assistant", parts: reply.parts } as const;
  const outputTokens = reply.usage?.outputTokens ?? (reply.started ? counter?.countMessage(words) : 0);
  const inputTokens = reply.usage?.inputTokens ?? loaded?.weights.total;
  const why = !failed ? undefined : stopped || isCancel(error) ? "Stopped." : toProblem(error).detail;
  const status = !failed ? "complete" : reply.started || stopped || isCancel(error) ? "interrupted" : "failed";
  return {
    status,
    parts: [...storedParts(reply, loaded), ...(why === undefined ? [] : [endingPart(why)])],
    model: reply.model ?? turn.model,
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}

/** What was recalled for a reply, followed by its own parts: later requests send both again. */
export function storedParts({ parts }: CollectedReply, loaded: LoadedContext | undefined): readonly Part[] {
  const recalled = loaded === undefined ? undefined : recalledNow(loaded);
  return recalled === undefined ? parts : [recalledPart(recalled), ...parts];
}

/** If the session was deleted, or another process has ended this reply, there is nothing to do. */
async function finish(
  store: OwnerStore,
  { session, reply }: PreparedTurn,
  ending: MessageEnding,
): Promise<MessageRecord> {
  try {
    return await store.messages.finish(session.id, reply.id, ending);
  } catch (error) {
    if (isMidfoldError(error, "VERSION_CONFLICT")) return store.messages.get(session.id, reply.id);
    if (isMidfoldError(error, "NOT_FOUND")) return { ...reply, status: "interrupted", parts: ending.parts };
    throw error;
  }
}

function logTurn(
  store: OwnerStore,
  turn: PreparedTurn,
  record: MessageRecord,
  { usage }: CollectedReply,
  { loaded, error }: SaveOptions,
  now: number,
): void {
  if (loaded === undefined) return;
  const { model, context, weights } = loaded;
  const facts: TurnFacts = {
    replyId: record.id,
    summaryId: context.summary?.id ?? null,
    sent: runsOf(context.entries.flatMap(({ record: sent }) => (sent === undefined ? [] : [sent.seq]))),
    window: model.info.known ? model.info.window : null,
    threshold: historyBudget(loaded).requestLimit,
    exact: weights.exact,
  };
  const problem = error === undefined ? undefined : toProblem(error);
  store.requests.write({
    id: `${turn.session.id}.${record.id}`,
    sessionId: turn.session.id,
    protocol: "chat",
    upstream: turn.upstream.provider,
    model: turn.model,
    action: context.summary === undefined ? "none" : "summary",
    status: problem?.status ?? 200,
    ...(problem === undefined ? {} : { errorCode: problem.code }),
    messagesBefore: turn.session.lastSeq + 1,
    messagesAfter: context.messages.length,
    tokensBefore: (context.summary?.content.originalTokenCount ?? 0) + weights.total,
    tokensAfter: weights.total,
    ...(usage === undefined ? {} : { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens }),
    ...(usage?.cachedTokens === undefined ? {} : { cachedTokens: usage.cachedTokens }),
    durationMs: Math.max(0, now - turn.reply.createdAt),
    details: { turn: facts },
  });
}
