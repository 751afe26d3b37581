import { readEvents } from "./read-events.ts";
import { path, request, send } from "./request.ts";
import type * as t from "./types.gen.ts";

export interface PageQuery {
  readonly before?: string;
  readonly after?: string;
  readonly around?: string;
  readonly limit?: number;
  readonly hidden?: boolean;
}

export interface SessionFilter {
  readonly tag?: string | undefined;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly branchesOf?: string;
}

async function* stream(url: string, body: unknown, signal?: AbortSignal): AsyncGenerator<t.TurnEvent> {
  yield* readEvents<t.TurnEvent>(await send("POST", url, { body, signal, accept: "text/event-stream" }));
}

/** The chat API by its operations' names; see `/openapi.json`. */
export const api = {
  listSessions: (search: string, cursor?: string, filter: SessionFilter = {}) =>
    request<t.SessionList>("GET", "/sessions", {
      query: { search: search === "" ? undefined : search, cursor, limit: 100, ...filter },
    }),
  createSession: (body: t.CreateSession) => request<t.Session>("POST", "/sessions", { body }),
  importSession: (body: t.ImportSession) => request<t.ImportResult>("POST", "/sessions/import", { body }),
  loadExample: () => request<t.Session>("POST", "/sessions/example", { body: { language: "en" } }),
  getSession: (id: string) => request<t.Session>("GET", path`/sessions/${id}`),
  updateSession: (id: string, body: t.UpdateSession) => request<t.Session>("PATCH", path`/sessions/${id}`, { body }),
  deleteSession: (id: string) => request<undefined>("DELETE", path`/sessions/${id}`),
  exportSession: (id: string, format: "json" | "markdown") =>
    send("GET", path`/sessions/${id}/export`, { query: { format }, accept: "*/*" }),
  listMessages: (id: string, query: PageQuery, signal?: AbortSignal) =>
    request<t.MessagePage>("GET", path`/sessions/${id}/messages`, { query: { ...query }, signal }),
  getMessage: (id: string, messageId: string) => request<t.Message>("GET", path`/sessions/${id}/messages/${messageId}`),
  hideMessage: (id: string, messageId: string) =>
    request<t.Message>("DELETE", path`/sessions/${id}/messages/${messageId}`),
  restoreMessage: (id: string, messageId: string) =>
    request<t.Message>("POST", path`/sessions/${id}/messages/${messageId}/restore`),
  sendMessage: (id: string, body: t.SendMessage, signal?: AbortSignal) =>
    stream(path`/sessions/${id}/messages`, body, signal),
  retryMessage: (id: string, messageId: string, signal?: AbortSignal) =>
    stream(path`/sessions/${id}/messages/${messageId}/retry`, {}, signal),
  editMessage: (id: string, messageId: string, body: t.EditMessage, signal?: AbortSignal) =>
    stream(path`/sessions/${id}/messages/${messageId}/edit`, body, signal),
  stopReply: (id: string) => request<{ readonly stopped: number }>("POST", path`/sessions/${id}/stop`),
  getUsage: (id: string) => request<t.Usage>("GET", path`/sessions/${id}/usage`),
  measureDraft: (id: string, body: t.UsageRequest, signal?: AbortSignal) =>
    request<t.Usage>("POST", path`/sessions/${id}/usage`, { body, signal }),
  clipDraft: (id: string, body: t.UsageRequest) =>
    request<t.ClippedDraft>("POST", path`/sessions/${id}/clip`, { body }),
  viewModel: (id: string, turn?: string) =>
    request<t.ModelView>("GET", path`/sessions/${id}/model-view`, { query: { turn } }),
  listTurns: (id: string) => request<t.TurnList>("GET", path`/sessions/${id}/turns`),
  searchSession: (id: string, q: string, cursor?: string) =>
    request<t.SearchResult>("GET", path`/sessions/${id}/search`, { query: { q, cursor, limit: 100 } }),
  searchAll: (q: string, cursor?: string) =>
    request<t.SearchResult>("GET", "/search", { query: { q, cursor, limit: 20 } }),
  previewFold: (id: string, body: t.ChatFoldRequest, signal?: AbortSignal) =>
    request<t.ChatFoldPreview>("POST", path`/sessions/${id}/folds/preview`, { body, signal }),
  startFold: (id: string, body: t.ChatFoldRequest) =>
    request<t.ChatFold>("POST", path`/sessions/${id}/folds`, { body }),
  listFolds: (id: string) => request<t.ChatFoldList>("GET", path`/sessions/${id}/folds`),
  getFold: (id: string, foldId: string) => request<t.ChatFold>("GET", path`/sessions/${id}/folds/${foldId}`),
  cancelFold: (id: string, foldId: string) => request<t.ChatFold>("POST", path`/sessions/${id}/folds/${foldId}/cancel`),
  listSummaries: (id: string) => request<t.SummaryList>("GET", path`/sessions/${id}/summaries`),
  getSummary: (id: string, summaryId: string) =>
    request<t.SummaryDetail>("GET", path`/sessions/${id}/summaries/${summaryId}`),
  editSummary: (id: string, summaryId: string, text: string) =>
    request<t.SummaryDetail>("PATCH", path`/sessions/${id}/summaries/${summaryId}`, { body: { text } }),
  regenerateSummary: (id: string, summaryId: string, body: t.Regenerate) =>
    request<t.ChatFold>("POST", path`/sessions/${id}/summaries/${summaryId}/regenerate`, { body }),
  activateSummary: (id: string, summaryId: string) =>
    request<t.SummaryDetail>("POST", path`/sessions/${id}/summaries/${summaryId}/activate`),
  undoSummary: (id: string) => request<t.SummaryList>("POST", path`/sessions/${id}/summaries/undo`),
  getSettings: (scope: string) => request<t.Settings>("GET", "/settings", { query: { scope } }),
  updateSettings: (body: t.UpdateSettings) => request<t.Settings>("PATCH", "/settings", { body }),
  listModels: () => request<t.ModelList>("GET", "/models"),
};
