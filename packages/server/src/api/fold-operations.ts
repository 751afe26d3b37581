import * as fold from "./folds.ts";
import type { Operation } from "./operation.ts";
import * as summary from "./summary.ts";

/** Folding a session, and its summaries. */
export const foldOperations = {
  previewFold: {
    method: "post",
    path: "/sessions/{sessionId}/folds/preview",
    tag: "folds",
    summary: "What a fold would do, in numbers; no side effect, no model call",
    body: fold.chatFoldRequestSchema,
    response: fold.chatFoldPreviewSchema,
  },
  startFold: {
    method: "post",
    path: "/sessions/{sessionId}/folds",
    tag: "folds",
    summary: "Summarize conversation history; progress comes as session events",
    body: fold.chatFoldRequestSchema,
    response: fold.chatFoldSchema,
    status: 202,
    counts: true,
  },
  listFolds: {
    method: "get",
    path: "/sessions/{sessionId}/folds",
    tag: "folds",
    summary: "Folds of a session, running and past",
    response: fold.chatFoldListSchema,
  },
  getFold: {
    method: "get",
    path: "/sessions/{sessionId}/folds/{foldId}",
    tag: "folds",
    summary: "One fold: progress, result or failure",
    response: fold.chatFoldSchema,
  },
  cancelFold: {
    method: "post",
    path: "/sessions/{sessionId}/folds/{foldId}/cancel",
    tag: "folds",
    summary: "Cancel a running fold; nothing changes",
    response: fold.chatFoldSchema,
  },
  listSummaries: {
    method: "get",
    path: "/sessions/{sessionId}/summaries",
    tag: "summaries",
    summary: "All summaries and their versions",
    response: summary.summaryListSchema,
  },
  getSummary: {
    method: "get",
    path: "/sessions/{sessionId}/summaries/{summaryId}",
    tag: "summaries",
    summary: "A summary with its details: model, tokens, loss report, sources",
    response: summary.summaryDetailSchema,
  },
  editSummary: {
    method: "patch",
    path: "/sessions/{sessionId}/summaries/{summaryId}",
    tag: "summaries",
    summary: "Write a new version of the active summary by hand",
    body: summary.editSummarySchema,
    response: summary.summaryDetailSchema,
  },
  regenerateSummary: {
    method: "post",
    path: "/sessions/{sessionId}/summaries/{summaryId}/regenerate",
    tag: "summaries",
    summary: "Summarize the same messages again, as a new version",
    body: fold.regenerateSchema,
    response: fold.chatFoldSchema,
    status: 202,
    counts: true,
  },
  activateSummary: {
    method: "post",
    path: "/sessions/{sessionId}/summaries/{summaryId}/activate",
    tag: "summaries",
    summary: "Switch to another version of the active summary",
    response: summary.summaryDetailSchema,
  },
  undoSummary: {
    method: "post",
    path: "/sessions/{sessionId}/summaries/undo",
    tag: "summaries",
    summary: "Undo the newest change of summary: the previous one is restored exactly",
    response: summary.summaryListSchema,
  },
} as const satisfies Record<string, Operation>;
