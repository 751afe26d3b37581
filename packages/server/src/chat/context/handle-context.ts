import type { Part } from "@midfold/core";
import type { Handler } from "../http/handler.ts";
import { publishedTurn, readTurns } from "../turn/turn-log.ts";
import { measureUsage } from "./measure-usage.ts";
import { viewNextRequest, viewPastRequest } from "./view-request.ts";

export const getUsage: Handler<"getUsage"> = ({ chat, store, params }) => measureUsage(chat, store, params.sessionId);

export const measureDraft: Handler<"measureDraft"> = ({ chat, store, params, body }) =>
  measureUsage(chat, store, params.sessionId, {
    draft: body.draft,
    model: body.model,
    attachments: body.parts as Part[],
  });

export const viewModel: Handler<"viewModel"> = async ({ chat, store, params, query }) =>
  query.turn === undefined
    ? viewNextRequest(chat, store, params.sessionId)
    : viewPastRequest(chat, store, params.sessionId, await publishedTurn(store, params.sessionId, query.turn));

export const viewModelWithDraft: Handler<"viewModelWithDraft"> = ({ chat, store, params, body }) =>
  viewNextRequest(chat, store, params.sessionId, { draft: body.draft, model: body.model });

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
