import * as console from "./console-schemas.ts";
import type { Operation } from "./operation.ts";

/** The console API: what the gateway did. Paths are below the mount point, `/api`. */
export const consoleOperations = {
  consoleOverview: {
    method: "get",
    path: "/console/overview",
    tag: "console",
    summary: "The server at a glance: routes, learned limits, totals since it started",
    response: console.overviewSchema,
  },
  listRequests: {
    method: "get",
    path: "/console/requests",
    tag: "console",
    summary: "Requests through the gateway, newest first",
    query: console.requestListQuerySchema,
    response: console.requestListSchema,
  },
  getRequest: {
    method: "get",
    path: "/console/requests/{requestId}",
    tag: "console",
    summary: "One request with its plan: what was kept, clipped, dropped and folded, and why",
    response: console.requestDetailSchema,
  },
  getRequestContent: {
    method: "get",
    path: "/console/requests/{requestId}/content",
    tag: "console",
    summary: "The messages before and after; only while capture is on",
    response: console.requestContentSchema,
  },
  watchRequests: {
    method: "get",
    path: "/console/feed",
    tag: "console",
    summary: "Requests as they start and end",
    events: console.feedEventSchema,
  },
  listConversations: {
    method: "get",
    path: "/console/conversations",
    tag: "console",
    summary: "Conversations recognised among the requests, most recent first",
    response: console.conversationListSchema,
  },
  getConversation: {
    method: "get",
    path: "/console/conversations/{conversationId}",
    tag: "console",
    summary: "One conversation with its size at every request",
    response: console.conversationDetailSchema,
  },
  getSavings: {
    method: "get",
    path: "/console/savings",
    tag: "console",
    summary: "Tokens and money saved, in total, per model and per hour",
    response: console.savingsSchema,
  },
  getDrift: {
    method: "get",
    path: "/console/drift",
    tag: "console",
    summary: "Counted against billed tokens, per model",
    response: console.driftSchema,
  },
  listLearned: {
    method: "get",
    path: "/learned",
    tag: "console",
    summary: "Windows learned from upstreams, why, and until when",
    response: console.learnedListSchema,
  },
  forgetLearned: {
    method: "delete",
    path: "/learned",
    tag: "console",
    summary: "Forgets learned windows: of one upstream, of one model, or all",
    query: console.learnedQuerySchema,
    response: console.learnedListSchema,
  },
} as const satisfies Record<string, Operation>;
