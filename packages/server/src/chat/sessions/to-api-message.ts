import { textOf } from "@midfold/core";
import type { MessageRecord, SummaryRecord } from "@midfold/store";
import type { ApiMessage } from "../../api/message.ts";
import { endingOf, isSendable, recalledOf, toMessage } from "../context/to-message.ts";
import { toApiParts } from "./to-api-parts.ts";

/**
 * A message as the API shows it. `summary` is the session's active one, which determines whether the message is folded.
 */
export function toApiMessage(record: MessageRecord, summary: SummaryRecord | undefined): ApiMessage {
  const message = toMessage(record);
  return {
    id: record.id,
    sessionId: record.sessionId,
    sequence: record.seq,
    role: record.role,
    parts: toApiParts(message.parts),
    text: textOf(message),
    createdAt: new Date(record.createdAt).toISOString(),
    status: record.status,
    visibility: record.visibility === "person" ? "hidden" : "visible",
    model: record.model ?? null,
    inputTokens: record.inputTokens ?? null,
    outputTokens: record.outputTokens ?? null,
    summaryId: isFolded(record, summary) ? (summary?.id ?? null) : null,
    inContext: !isFolded(record, summary) && isSendable(record),
    recalled: recalledOf(record),
    error: endingOf(record),
  };
}

/** Whether the summary covers this message. */
export function isFolded(record: MessageRecord, summary: SummaryRecord | undefined): boolean {
  return summary !== undefined && record.seq <= summary.cutoffSeq;
}
