import type { RequestRow } from "../sql/schema.ts";
import { toStorableJson } from "../text/storable.ts";
import type { LoggedRequest, RequestEntry } from "./request-log.ts";

export function toRequestRow(owner: string, at: number, entry: RequestEntry, hasContent: boolean): RequestRow {
  return {
    owner,
    id: entry.id,
    at,
    session_id: entry.sessionId ?? null,
    key_id: entry.keyId ?? null,
    protocol: entry.protocol,
    upstream: entry.upstream ?? null,
    model: entry.model,
    action: entry.action,
    status: entry.status,
    error_code: entry.errorCode ?? null,
    messages_before: entry.messagesBefore,
    messages_after: entry.messagesAfter,
    tokens_before: entry.tokensBefore,
    tokens_after: entry.tokensAfter,
    input_tokens: entry.inputTokens ?? null,
    output_tokens: entry.outputTokens ?? null,
    cached_tokens: entry.cachedTokens ?? null,
    cost_micros: entry.costMicros ?? null,
    duration_ms: entry.durationMs,
    first_byte_ms: entry.firstByteMs ?? null,
    details_json: toStorableJson(entry.details ?? {}),
    has_content: hasContent ? 1 : 0,
  };
}

export function toLoggedRequest(row: RequestRow): LoggedRequest {
  return {
    id: row.id,
    at: row.at,
    protocol: row.protocol,
    model: row.model,
    action: row.action,
    status: row.status,
    messagesBefore: row.messages_before,
    messagesAfter: row.messages_after,
    tokensBefore: row.tokens_before,
    tokensAfter: row.tokens_after,
    durationMs: row.duration_ms,
    details: JSON.parse(row.details_json),
    hasContent: row.has_content === 1,
    ...present("sessionId", row.session_id),
    ...present("keyId", row.key_id),
    ...present("upstream", row.upstream),
    ...present("errorCode", row.error_code),
    ...present("inputTokens", row.input_tokens),
    ...present("outputTokens", row.output_tokens),
    ...present("cachedTokens", row.cached_tokens),
    ...present("costMicros", row.cost_micros),
    ...present("firstByteMs", row.first_byte_ms),
  };
}

function present<TKey extends string, TValue>(key: TKey, value: TValue | null): { [Name in TKey]?: TValue } {
  return (value === null ? {} : { [key]: value }) as { [Name in TKey]?: TValue };
}
