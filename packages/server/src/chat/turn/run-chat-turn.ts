import { MidfoldError, type Part } from "@midfold/core";
import type { Lease, MessageRecord } from "@midfold/store";
import type { TurnEvent } from "../../api/events.ts";
import type { Chat } from "../chat.ts";
import type { LoadedContext } from "../context/load-context.ts";
import { measureUsage } from "../context/measure-usage.ts";
import { publishEvent } from "../events/publish-event.ts";
import { isCancel } from "../folds/track-fold.ts";
import { toProblem } from "../http/write-problem.ts";
import type { ReplyFinish } from "../models/chat-models.ts";
import { readReply } from "../models/reply-wire.ts";
import { toApiMessage } from "../sessions/to-api-message.ts";
import { toApiSession } from "../sessions/to-api-session.ts";
import { askModel, learnFromReply } from "./ask-model.ts";
import { type CollectedReply, collectReply } from "./collect-reply.ts";
import type { OpenTurn } from "./open-turn.ts";
import { keepLease, type PreparedTurn } from "./prepare-turn.ts";
import { queueEvents } from "./queue-events.ts";
import { saveReply, storedParts } from "./save-reply.ts";

/**
 * Loads, folds if needed, sends, streams and saves. What arrived is stored in any case: when the client disconnects,
 * when it is stopped, when the provider breaks off.
 */
export async function* runChatTurn(
  chat: Chat,
  turn: PreparedTurn,
  open: OpenTurn,
): AsyncGenerator<TurnEvent, void, undefined> {
  try {
    if (turn.lease === undefined) yield* repeat(chat, turn);
    else yield* write(chat, turn, turn.lease, open.signal);
  } finally {
    open.close();
    await publishEvent(chat, { type: "session.updated", sessionId: turn.session.id });
  }
}

async function* write(
  chat: Chat,
  turn: PreparedTurn,
  lease: Lease,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent, void, undefined> {
  const { session, reply } = turn;
  const endLease = keepLease(chat, lease);
  const collected: CollectedReply = collectReply();
  let saved: MessageRecord | undefined;
  const save = async (loaded: LoadedContext | undefined, error?: unknown) => {
    stopProgress();
    saved ??= await saveReply(chat, turn, collected, { loaded, error, stopped: signal.aborted });
    return saved;
  };
  let loaded: LoadedContext | undefined;
  let stopProgress = () => {};
  try {
    yield await startOf(chat, turn);
    await announce(chat, turn);
    signal.throwIfAborted();
    const events = queueEvents<TurnEvent>();
    const asking = askModel(chat, turn, {
      signal,
      tell: events.push,
      onLoaded: (context) => {
        loaded = context;
      },
    }).finally(events.end);
    // It may fail while the reader is still handling events; the failure is handled below.
    asking.catch(() => undefined);
    yield* events;
    const asked = await asking;
    stopProgress = keepProgress(chat, turn, () => storedParts(collected, loaded));
    for await (const event of readReply(asked.opened)) {
      const told = collected.add(event, reply.id);
      if (told !== undefined) yield told;
    }
    signal.throwIfAborted();
    if (collected.usage !== undefined) learnFromReply(chat, turn, asked, collected.usage);
    // Stored as an answer, it would be an empty line that says nothing about why.
    if (!collected.started) throw new MidfoldError("UPSTREAM_BROKEN", nothingSaid[collected.finish ?? "complete"]);
    const message = await save(loaded);
    yield { type: "reply.end", message: toApiMessage(message, loaded?.source.summary) };
    yield {
      type: "turn.end",
      turnId: reply.id,
      status: "complete",
      usage: await measureUsage(chat, session.id),
    };
  } catch (error) {
    const message = await save(loaded, error);
    const shown = toApiMessage(message, loaded?.source.summary);
    if (signal.aborted || isCancel(error)) {
      yield { type: "reply.end", message: shown };
      yield {
        type: "turn.end",
        turnId: reply.id,
        status: "interrupted",
        usage: await measureUsage(chat, session.id),
      };
    } else yield { type: "turn.error", turnId: reply.id, problem: toProblem(error), message: shown };
  } finally {
    // The reader may leave at any yield; then only this still runs.
    if (saved === undefined) await save(loaded, signal.reason ?? new Error("the reader left"));
    await endLease();
  }
}

const nothingSaid: Readonly<Record<ReplyFinish, string>> = {
  complete: "The model answered without a word.",
  "tool-call": "The model answered without a word.",
  "cut-off": "The model reached the limit of the answer before its first word.",
  refused: "The provider withheld the answer.",
};

const progressMs = 300;

/**
 * Stores what has arrived from time to time, so that a crash loses little, and tells watchers. Returns a function that
 * stops this.
 */
function keepProgress(chat: Chat, turn: PreparedTurn, read: () => readonly Part[]): () => void {
  const { session, reply } = turn;
  let stored = 0;
  let timer: NodeJS.Timeout | undefined;
  const sizeOf = (parts: readonly Part[]) =>
    parts.reduce((sum, part) => sum + ("text" in part ? (part.text?.length ?? 0) : 1), 0);
  const step = async () => {
    const parts = read();
    const size = sizeOf(parts);
    try {
      if (size > stored && (await chat.store.messages.saveProgress(session.id, reply.id, parts))) {
        stored = size;
        await publishEvent(chat, { type: "message.updated", sessionId: session.id, messageId: reply.id });
      }
    } catch (error) {
      chat.log.warn(
        { err: error, sessionId: session.id },
        "the unfinished reply could not be stored while it is written",
      );
    }
    // The whole reply is written each time, so a longer one is written less often.
    if (timer !== undefined) timer = setTimeout(step, progressMs + size / 50);
  };
  timer = setTimeout(step, progressMs);
  return () => {
    clearTimeout(timer);
    timer = undefined;
  };
}

async function announce(chat: Chat, { session, user, reply }: PreparedTurn): Promise<void> {
  for (const { id: messageId } of [user, reply]) {
    await publishEvent(chat, { type: "message.added", sessionId: session.id, messageId });
  }
  await publishEvent(chat, { type: "session.updated", sessionId: session.id });
}

async function startOf(chat: Chat, { session, user, reply }: PreparedTurn): Promise<TurnEvent> {
  return {
    type: "turn.start",
    turnId: reply.id,
    session: await toApiSession(chat, session),
    userMessage: toApiMessage(user, await chat.store.snapshots.activeSummary(session.id)),
  };
}

/** Sent before with the same key: the stored reply is the answer. */
async function* repeat(chat: Chat, turn: PreparedTurn): AsyncGenerator<TurnEvent, void, undefined> {
  const { session, reply } = turn;
  yield await startOf(chat, turn);
  const message = toApiMessage(reply, await chat.store.snapshots.activeSummary(session.id));
  yield { type: "reply.end", message };
  const status = reply.status === "complete" ? "complete" : "interrupted";
  yield { type: "turn.end", turnId: reply.id, status, usage: await measureUsage(chat, session.id) };
}
