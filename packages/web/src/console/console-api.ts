import { path, type Query, request } from "../api/request.ts";
import type * as t from "../api/types.gen.ts";

/** The console API by its operations' names; see `/openapi.json`. */
export const consoleApi = {
  overview: () => request<t.Overview>("GET", "/console/overview"),
  listRequests: (query: Query) => request<t.RequestList>("GET", "/console/requests", { query }),
  getRequest: (id: string) => request<t.RequestDetail>("GET", path`/console/requests/${id}`),
  getContent: (id: string) => request<t.RequestContent>("GET", path`/console/requests/${id}/content`),
  listConversations: () => request<t.ConversationList>("GET", "/console/conversations"),
  getConversation: (id: string) => request<t.ConversationDetail>("GET", path`/console/conversations/${id}`),
  savings: () => request<t.Savings>("GET", "/console/savings"),
  drift: () => request<t.Drift>("GET", "/console/drift"),
};

export const consoleKeys = {
  all: ["console"] as const,
  overview: ["console", "overview"] as const,
  requests: (filter: string) => ["console", "requests", filter] as const,
  request: (id: string) => ["console", "request", id] as const,
  content: (id: string) => ["console", "content", id] as const,
  conversations: ["console", "conversations"] as const,
  conversation: (id: string) => ["console", "conversation", id] as const,
  savings: ["console", "savings"] as const,
  drift: ["console", "drift"] as const,
};
