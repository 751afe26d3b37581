import { isMidfoldError, type Part, textOf } from "@midfold/core";
import type { MessageRecord, OwnerStore } from "@midfold/store";
import type { ModelView } from "../../api/model-view.ts";
import type { Chat } from "../chat.ts";
import type { Handler } from "../http/handler.ts";
import { systemAt } from "../sessions/system-history.ts";
import { toApiParts } from "../sessions/to-api-parts.ts";
import { resolveChatModel } from "../settings/resolve-chat-model.ts";
import { toReplyRequest } from "../turn/to-reply-request.ts";
import { type LoggedTurn, publishedTurn, readTurns } from "../turn/turn-log.ts";
import { buildContext } from "./build-context.ts";
import { countAhead } from "./count-ahead.ts";
import { type LoadedContext, type LoadOptions, loadContext } from "./load-context.ts";
import { measureUsage } from "./measure-usage.ts";
import { readMessages } from "./read-messages.ts";
import { withRecalled } from "./recall-folded.ts";
import { recalledOf } from "./to-message.ts";
import { weighContext } from "./weigh-context.ts";

export const getUsage: Handler<"getUsage"> = ({ chat, params }) => measureUsage(chat, params.sessionId);

export const measureDraft: Handler<"measureDraft"> = ({ chat, params, body }) =>
  measureUsage(chat, params.sessionId, {
    draft: body.draft,
    model: body.model,
    attachments: body.parts as Part[],
  });

export const viewModel: Handler<"viewModel"> = async ({ chat, params, query }) =>
  query.turn === undefined
    ? viewNextRequest(chat, params.sessionId)
    : viewPastRequest(chat, params.sessionId, await publishedTurn(chat.store, params.sessionId, query.turn));

export const viewModelWithDraft: Handler<"viewModelWithDraft"> = ({ chat, params, body }) =>
  viewNextRequest(chat, params.sessionId, { draft: body.draft, model: body.model });

export const listTurns: Handler<"listTurns"> = async ({ store, params }) => ({
  turns: (await readTurns(store, params.sessionId)).map((turn) => ({
    turnId: turn.replyId,
    at: new Date(turn.at).toISOString(),
    model: turn.model,
    inputTokens: turn.tokens,
    providerTokens: turn.providerTokens ?? null,
    outputTokens: turn.outputTokens ?? null,
    window: turn.window,
    threshold: turn.threshold,
    summaryId: turn.summaryId,
    messages: turn.messages,
  })),
});

/** Exactly what the next request would be. */
async function viewNextRequest(chat: Chat, sessionId: string, options: LoadOptions = {}): Promise<ModelView> {
  const loaded = await withRecalled(chat.store, await loadContext(chat, sessionId, options));
  return toView(loaded, { turnId: null, at: chat.now() });
}

/** The request of a past reply, rebuilt from what it referred to. */
async function viewPastRequest(chat: Chat, sessionId: string, turn: LoggedTurn): Promise<ModelView> {
  const session = await chat.store.sessions.get(sessionId);
  const model = await resolveChatModel(chat, turn.model, sessionId);
  const summary = turn.summaryId === null ? undefined : await chat.store.snapshots.summary(sessionId, turn.summaryId);
  const runs: (readonly MessageRecord[])[] = [];
  for (const [first, last] of turn.sent) runs.push(await readMessages(chat.store, sessionId, first - 1, last));
  const messages = runs.flat();
  const through = messages.at(-1)?.seq ?? 0;
  const system = systemAt(session, through) ?? model.settings.systemPrompt ?? undefined;
  // A message may have been hidden since, but it was sent then.
  const asSent = messages.map((record) => ({ ...record, visibility: "all" as const }));
  const recalled = await recalledFor(chat.store, sessionId, turn.replyId);
  const context = buildContext({ summary, messages: asSent }, { system, through, recalled });
  await countAhead(chat.counts, model.counter, context.messages);
  const weights = weighContext(context, { counter: model.counter, log: chat.log });
  return toView(
    { source: { session, summary, messages: asSent }, model, context, weights },
    {
      turnId: turn.replyId,
      at: turn.at,
    },
  );
}

async function recalledFor(store: OwnerStore, sessionId: string, replyId: string): Promise<string | undefined> {
  try {
    return recalledOf(await store.messages.get(sessionId, replyId)) ?? undefined;
  } catch (error) {
    // The reply was deleted, together with the excerpts recalled for it.
    if (isMidfoldError(error, "NOT_FOUND")) return undefined;
    throw error;
  }
}

function toView(loaded: LoadedContext, turn: { turnId: string | null; at: number }): ModelView {
  const { model, context, weights, source } = loaded;
  const request = toReplyRequest(loaded);
  const sent = model.upstream?.body(request) ?? { protocol: "neutral", body: request };
  return {
    turnId: turn.turnId,
    at: new Date(turn.at).toISOString(),
    model: model.name,
    protocol: sent.protocol,
    tokens: weights.total,
    window: model.info.known ? model.info.window : null,
    exact: weights.exact,
    summaryId: context.summary?.id ?? null,
    leftOut: Math.max(0, source.session.lastSeq - context.entries.filter(({ record }) => record !== undefined).length),
    messages: context.entries.map(({ kind, message, record }, i) => ({
      kind,
      role: message.role,
      parts: toApiParts(message.parts),
      text: textOf(message),
      tokens: weights.entries[i] ?? 0,
      messageId: record?.id ?? null,
      sequence: record?.seq ?? null,
      summaryId: kind === "summary" ? (context.summary?.id ?? null) : null,
    })),
    body: sent.body,
  };
}
