import { MidfoldError, type Part } from "@midfold/core";
import type { MessageRecord, OwnerStore } from "@midfold/store";
import type { TurnEvent } from "../../api/events.ts";
import type { SendMessage, Turn } from "../../api/turn.ts";
import type { Chat } from "../chat.ts";
import { publishEvent } from "../events/publish-event.ts";
import type { Handler } from "../http/handler.ts";
import { eventResponse } from "../http/write-events.ts";
import { problemResponse } from "../http/write-problem.ts";
import { openTurn } from "./open-turn.ts";
import { type PreparedTurn, prepareTurn } from "./prepare-turn.ts";
import { queueEvents } from "./queue-events.ts";
import { runChatTurn } from "./run-chat-turn.ts";
import { replyKey } from "./running-work.ts";
import { settleStale } from "./settle-abandoned.ts";

export const sendMessage: Handler<"sendMessage"> = async ({ chat, params, body }) => {
  const { sessionId } = params;
  const { model, maxOutputTokens, fold, key, stream } = body;
  const say = { parts: partsOf(body), key };
  return take(chat, { sessionId, stream }, () => prepareTurn(chat, sessionId, { say, model, maxOutputTokens, fold }));
};

export const retryMessage: Handler<"retryMessage"> = async ({ chat, params, body }) => {
  const { sessionId } = params;
  return take(chat, { sessionId, stream: body.stream }, async () => {
    const { user, later } = await lastQuestion(chat.store, sessionId, params.messageId);
    for (const reply of later) {
      await chat.store.messages.edit(sessionId, reply.id, { visibility: "person" });
      await publishEvent(chat, { type: "message.updated", sessionId, messageId: reply.id });
    }
    return prepareTurn(chat, sessionId, { say: { again: user }, model: body.model });
  });
};

export const editMessage: Handler<"editMessage"> = async ({ chat, params, body }) => {
  const { sessionId, messageId } = params;
  const origin = await chat.store.sessions.get(sessionId);
  const target = await chat.store.messages.get(sessionId, messageId);
  if (target.role !== "user") {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      "Only what the user said can be said differently. To answer again, use retry.",
    );
  }
  const parts = partsOf(body);
  const title = body.title ?? `${origin.title} (edited)`;
  const [before] = await chat.store.messages.list(sessionId, { before: target.seq, limit: 1, newestFirst: true });
  const branch =
    before === undefined
      ? await chat.store.sessions.create({
          title,
          ...(origin.model === undefined ? {} : { model: origin.model }),
          ...(origin.systemPrompt === undefined ? {} : { systemPrompt: origin.systemPrompt }),
        })
      : await chat.store.sessions.branch(sessionId, { upTo: before.id, title });
  await publishEvent(chat, { type: "session.created", sessionId: branch.id });
  const { model, maxOutputTokens, fold, stream } = body;
  return take(chat, { sessionId: branch.id, stream }, () =>
    prepareTurn(chat, branch.id, { say: { parts }, model, maxOutputTokens, fold }),
  );
};

export const stopReply: Handler<"stopReply"> = async ({ chat, params }) => {
  const { sessionId } = params;
  const reading = Promise.all([
    chat.store.messages.list(sessionId, { limit: 100, newestFirst: true }),
    chat.store.sessions.get(sessionId),
  ]);
  // Before anything is read: a busy database must not delay a stop.
  const reason = new MidfoldError("ABORTED", "The user stopped the reply.");
  const here = chat.running.abort(replyKey(chat.store.owner, sessionId), reason);
  const [newest] = await reading;
  const writing = newest.filter(({ status }) => status === "streaming").length;
  // Another replica may be running a turn of which nothing is stored yet.
  if (here === 0 || writing > here) await publishEvent(chat, { type: "reply.stop", sessionId });
  await settleStale(chat, sessionId, newest);
  return { stopped: Math.max(here, writing) };
};

interface Asked {
  readonly sessionId: string;
  readonly stream: boolean;
}

/**
 * Runs a turn and streams it, or waits for its end. It continues when the client disconnects: a reload, a closed tab or
 * a lost connection is not a stop. Everyone who watches the session sees the reply grow.
 */
async function take(chat: Chat, { sessionId, stream }: Asked, prepare: () => Promise<PreparedTurn>): Promise<Response> {
  const open = await openTurn(chat, sessionId);
  let turn: PreparedTurn;
  try {
    turn = await prepare();
  } catch (error) {
    open.close();
    throw error;
  }
  const events = queueEvents<TurnEvent>();
  const run = async () => {
    for await (const event of runChatTurn(chat, turn, open)) events.push(event);
  };
  run()
    .catch((error: unknown) => chat.log.error({ err: error, sessionId }, "a turn ended unexpectedly"))
    .finally(events.end);
  return stream ? eventResponse(events, { onClose: events.stop }) : waitForEnd(events);
}

async function waitForEnd(events: AsyncIterable<TurnEvent>): Promise<Response> {
  const result: Partial<Turn> = {};
  for await (const event of events) {
    if (event.type === "turn.start") {
      Object.assign(result, { turnId: event.turnId, session: event.session, userMessage: event.userMessage });
    } else if (event.type === "reply.end") result.reply = event.message;
    else if (event.type === "turn.end") result.usage = event.usage;
    else if (event.type === "turn.error") return problemResponse(event.problem);
  }
  return Response.json(result);
}

function partsOf(body: Pick<SendMessage, "text" | "parts">): readonly Part[] {
  const words: Part[] = body.text === undefined || body.text.trim() === "" ? [] : [{ type: "text", text: body.text }];
  const parts = [...((body.parts ?? []) as Part[]), ...words];
  if (parts.length > 0) return parts;
  throw new MidfoldError("VALIDATION_ERROR", "Say something: `text` or `parts` must not be empty.");
}

/** The user message that `messageId` is, or replies to, with everything after it. Only the last one can be retried. */
async function lastQuestion(
  store: OwnerStore,
  sessionId: string,
  messageId: string,
): Promise<{ readonly user: MessageRecord; readonly later: readonly MessageRecord[] }> {
  const target = await store.messages.get(sessionId, messageId);
  const newest = await store.messages.list(sessionId, { limit: 200, newestFirst: true });
  const shown = newest.filter(({ visibility }) => visibility !== "person");
  const at = shown.findIndex(({ role }) => role === "user");
  const user = shown[at];
  if (user === undefined || target.seq < user.seq) {
    throw new MidfoldError(
      "VERSION_CONFLICT",
      "Only the last question can be answered again. For an earlier one, edit it into a branch.",
    );
  }
  const later = shown.slice(0, at);
  if (later.some(({ status }) => status === "streaming")) {
    throw new MidfoldError("VERSION_CONFLICT", "A reply is being written. Stop it first.");
  }
  return { user, later };
}
