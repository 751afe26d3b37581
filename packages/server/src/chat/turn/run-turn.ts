import { isMidfoldError } from "@midfold/core";
import type { Lease, MessageRecord, OwnerStore } from "@midfold/store";
import type { CompressionEvent, TurnEvent } from "../../api/events.ts";
import type { Chat } from "../chat.ts";
import { autoCompress } from "../compression/auto-compress.ts";
import { readBreaker } from "../compression/compression-state.ts";
import { isCancel } from "../compression/track-compression.ts";
import { type LoadedContext, loadContext } from "../context/load-context.ts";
import { measureUsage, toUsage } from "../context/measure-usage.ts";
import { publishEvent } from "../events/publish-event.ts";
import { toProblem } from "../http/write-problem.ts";
import { toApiMessage } from "../sessions/to-api-message.ts";
import { toApiSession } from "../sessions/to-api-session.ts";
import { type CollectedReply, collectReply } from "./collect-reply.ts";
import { learnFromOverflow } from "./learn-from-overflow.ts";
import type { OpenTurn } from "./open-turn.ts";
import { keepLease, type PreparedTurn } from "./prepare-turn.ts";
import { queueEvents } from "./queue-events.ts";
import { saveReply } from "./save-reply.ts";
import { toReplyRequest } from "./to-reply-request.ts";

/**
 * Load, compress if need be, send, stream, save. What arrived is stored whatever happens: when the client goes away, when
 * it is stopped, when the provider breaks off.
 */
export async function* runTurn(
  chat: Chat,
  store: OwnerStore,
  turn: PreparedTurn,
  open: OpenTurn,
): AsyncGenerator<TurnEvent, void, undefined> {
  try {
    if (turn.lease === undefined) yield* repeat(chat, store, turn);
    else yield* write(chat, store, turn, turn.lease, open.signal);
  } finally {
    open.close();
    await publishEvent(chat, store, { type: "session.updated", sessionId: turn.session.id });
  }
}

async function* write(
  chat: Chat,
  store: OwnerStore,
  turn: PreparedTurn,
  lease: Lease,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent, void, undefined> {
  const { session, reply } = turn;
  const endLease = keepLease(chat, store, lease);
  const collected: CollectedReply = collectReply();
  let saved: MessageRecord | undefined;
  const save = async (loaded: LoadedContext | undefined, error?: unknown) => {
    saved ??= await saveReply(chat, store, turn, collected, { loaded, error, stopped: signal.aborted });
    return saved;
  };
  let loaded: LoadedContext | undefined;
  try {
    yield await startOf(chat, store, turn);
    await announce(chat, store, turn);
    signal.throwIfAborted();
    for (const force of [false, true]) {
      try {
        const events = queueEvents<CompressionEvent>();
        const loading = loadFor(chat, store, turn, { force, signal, onEvent: events.push }).finally(events.end);
        // It may fail while the reader is still busy with its events; the failure is taken up below.
        loading.catch(() => undefined);
        yield* events;
        loaded = await loading;
        signal.throwIfAborted();
        yield {
          type: "usage.changed",
          sessionId: session.id,
          usage: toUsage(chat, loaded, await readBreaker(store, session.id)),
        };
        yield { type: "reply.start", messageId: reply.id, model: turn.model };
        const request = toReplyRequest(loaded, turn.maxOutputTokens);
        for await (const event of turn.upstream.reply(request, signal)) {
          const told = collected.add(event, reply.id);
          if (told !== undefined) yield told;
        }
        signal.throwIfAborted();
        break;
      } catch (error) {
        const again =
          !force && !collected.started && mayCompress(turn, loaded) && isMidfoldError(error, "UPSTREAM_OVERFLOW");
        if (!again) throw error;
        await learnFromOverflow(chat, store, turn, error);
      }
    }
    const message = await save(loaded);
    yield { type: "reply.end", message: toApiMessage(message, loaded?.source.summary) };
    yield {
      type: "turn.end",
      turnId: reply.id,
      status: "complete",
      usage: await measureUsage(chat, store, session.id),
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
        usage: await measureUsage(chat, store, session.id),
      };
    } else yield { type: "turn.error", turnId: reply.id, problem: toProblem(error), message: shown };
  } finally {
    // The reader may leave at any yield; then this is the only place that still runs.
    if (saved === undefined) await save(loaded, signal.reason ?? new Error("the reader left"));
    await endLease();
  }
}

/** The user's word counts more than a provider's refusal: with compression switched off the refusal is the answer. */
function mayCompress(turn: PreparedTurn, loaded: LoadedContext | undefined): boolean {
  return turn.compress === "auto" && loaded?.model.settings.autoCompression === true;
}

interface LoadWishes {
  readonly force: boolean;
  readonly signal: AbortSignal;
  readonly onEvent: (event: CompressionEvent) => void;
}

function loadFor(chat: Chat, store: OwnerStore, turn: PreparedTurn, wishes: LoadWishes): Promise<LoadedContext> {
  const { session, user, model } = turn;
  if (turn.compress === "off") return loadContext(chat, store, session.id, { model, through: user.seq });
  return autoCompress(chat, store, { sessionId: session.id, inputSeq: user.seq, model, ...wishes });
}

async function announce(chat: Chat, store: OwnerStore, { session, user, reply }: PreparedTurn): Promise<void> {
  for (const { id: messageId } of [user, reply]) {
    await publishEvent(chat, store, { type: "message.added", sessionId: session.id, messageId });
  }
  await publishEvent(chat, store, { type: "session.updated", sessionId: session.id });
}

async function startOf(chat: Chat, store: OwnerStore, { session, user, reply }: PreparedTurn): Promise<TurnEvent> {
  return {
    type: "turn.start",
    turnId: reply.id,
    session: await toApiSession(chat, store, session),
    userMessage: toApiMessage(user, await store.snapshots.activeSummary(session.id)),
  };
}

/** Sent before under the same key: the stored reply is the answer. */
async function* repeat(chat: Chat, store: OwnerStore, turn: PreparedTurn): AsyncGenerator<TurnEvent, void, undefined> {
  const { session, reply } = turn;
  yield await startOf(chat, store, turn);
  const message = toApiMessage(reply, await store.snapshots.activeSummary(session.id));
  yield { type: "reply.end", message };
  const status = reply.status === "complete" ? "complete" : "interrupted";
  yield { type: "turn.end", turnId: reply.id, status, usage: await measureUsage(chat, store, session.id) };
}
