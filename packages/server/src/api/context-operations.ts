import * as events from "./events.ts";
import * as history from "./history.ts";
import * as view from "./model-view.ts";
import type { Operation } from "./operation.ts";
import * as usage from "./usage.ts";

/** What the model sees, the whole history, and live events. */
export const contextOperations = {
  getUsage: {
    method: "get",
    path: "/sessions/{sessionId}/usage",
    tag: "context",
    summary: "The meter: the next request by category",
    response: usage.usageSchema,
  },
  measureDraft: {
    method: "post",
    path: "/sessions/{sessionId}/usage",
    tag: "context",
    summary: "The meter with a draft in it; nothing is stored",
    body: usage.usageRequestSchema,
    response: usage.usageSchema,
  },
  clipDraft: {
    method: "post",
    path: "/sessions/{sessionId}/clip",
    tag: "context",
    summary: "The draft and its files, shortened until the model's window takes them; nothing is stored",
    body: usage.usageRequestSchema,
    response: usage.clippedDraftSchema,
  },
  viewModel: {
    method: "get",
    path: "/sessions/{sessionId}/model-view",
    tag: "context",
    summary: "Exactly what the model sees, next time or at a past turn",
    query: view.modelViewQuerySchema,
    response: view.modelViewSchema,
  },
  viewModelWithDraft: {
    method: "post",
    path: "/sessions/{sessionId}/model-view",
    tag: "context",
    summary: "Exactly what the model would see with this draft",
    body: usage.usageRequestSchema,
    response: view.modelViewSchema,
  },
  listTurns: {
    method: "get",
    path: "/sessions/{sessionId}/turns",
    tag: "context",
    summary: "Size of the request at every past turn",
    response: view.turnListSchema,
  },
  searchSession: {
    method: "get",
    path: "/sessions/{sessionId}/search",
    tag: "history",
    summary: "Search everything ever said in a session",
    query: history.searchQuerySchema,
    response: history.searchResultSchema,
  },
  searchAll: {
    method: "get",
    path: "/search",
    tag: "history",
    summary: "Search all sessions",
    query: history.searchQuerySchema,
    response: history.searchResultSchema,
  },
  sessionEvents: {
    method: "get",
    path: "/sessions/{sessionId}/events",
    tag: "events",
    summary: "Live events of one session",
    events: events.sessionEventSchema,
  },
  allEvents: {
    method: "get",
    path: "/events",
    tag: "events",
    summary: "Live events of all sessions: created, updated, deleted, settings",
    events: events.sessionEventSchema,
  },
} as const satisfies Record<string, Operation>;
