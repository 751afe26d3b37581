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
  getBreakdown: (id: string) => request<t.Breakdown>("GET", path`/console/requests/${id}/breakdown`),
  changeConversation: (id: string, body: ChangeByHand) =>
    request<t.ByHand>("PATCH", path`/console/conversations/${id}`, { body }),
  savings: (since: number | undefined) => request<t.Savings>("GET", "/console/savings", { query: { since } }),
  forgetLearned: (query: Query) => request<unknown>("DELETE", "/learned", { query }),
  drift: () => request<t.Drift>("GET", "/console/drift"),
};

export interface ChangeByHand {
  readonly fold?: boolean;
  readonly message?: number;
  readonly pinned?: boolean;
  readonly leftOut?: boolean;
}

export const consoleKeys = {
  all: ["console"] as const,
  overview: ["console", "overview"] as const,
  requests: (filter: string) => ["console", "requests", filter] as const,
  request: (id: string) => ["console", "request", id] as const,
  content: (id: string) => ["console", "content", id] as const,
  conversations: ["console", "conversations"] as const,
  conversation: (id: string) => ["console", "conversation", id] as const,
  breakdown: (id: string) => ["console", "breakdown", id] as const,
  savings: (days: string) => ["console", "savings", days] as const,
  drift: ["console", "drift"] as const,
};
