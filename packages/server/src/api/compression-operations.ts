import * as compression from "./compression.ts";
import type { Operation } from "./operation.ts";
import * as summary from "./summary.ts";

/** Compressing, and the summaries it leaves. */
export const compressionOperations = {
  previewCompression: {
    method: "post",
    path: "/sessions/{sessionId}/compressions/preview",
    tag: "compression",
    summary: "What a compression would do, in numbers; no side effect, no model call",
    body: compression.compressionRequestSchema,
    response: compression.compressionPreviewSchema,
  },
  startCompression: {
    method: "post",
    path: "/sessions/{sessionId}/compressions",
    tag: "compression",
    summary: "Summarize conversation history; progress comes as session events",
    body: compression.compressionRequestSchema,
    response: compression.compressionSchema,
    status: 202,
    counts: true,
  },
  listCompressions: {
    method: "get",
    path: "/sessions/{sessionId}/compressions",
    tag: "compression",
    summary: "Compressions of a session, running and past",
    response: compression.compressionListSchema,
  },
  getCompression: {
    method: "get",
    path: "/sessions/{sessionId}/compressions/{compressionId}",
    tag: "compression",
    summary: "One compression: progress, result or failure",
    response: compression.compressionSchema,
  },
  cancelCompression: {
    method: "post",
    path: "/sessions/{sessionId}/compressions/{compressionId}/cancel",
    tag: "compression",
    summary: "Cancel a running compression; nothing changes",
    response: compression.compressionSchema,
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
    summary: "Summarise the same messages again, as a new version",
    body: compression.regenerateSchema,
    response: compression.compressionSchema,
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
