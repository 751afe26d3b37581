import type { RequestList, RequestListQuery } from "../api/console-schemas.ts";
import type { RequestRecord } from "../requests/request-record.ts";
import { toSummary } from "./to-summary.ts";

/** One page, newest first. `records` must already be the caller's own. */
export function listRequests(records: Iterable<RequestRecord>, query: RequestListQuery): RequestList {
  const items: RequestRecord[] = [];
  let skipping = query.after !== undefined;
  for (const record of records) {
    if (skipping) {
      skipping = record.id !== query.after;
      continue;
    }
    if (!matches(record, query)) continue;
    // Reading one more than requested shows whether there is a next page.
    if (items.length === query.limit) return { items: items.map(toSummary), next: items.at(-1)?.id ?? null };
    items.push(record);
  }
  return { items: items.map(toSummary), next: null };
}

function matches(record: RequestRecord, query: RequestListQuery): boolean {
  const folded = record.outcome === "folded" || record.outcome === "reused";
  return (
    (query.model === undefined || record.model === query.model || record.requestedModel === query.model) &&
    (query.client === undefined || record.client === query.client) &&
    (query.conversation === undefined || record.conversationId === query.conversation) &&
    (query.session === undefined || record.sessionId === query.session) &&
    (query.folded === undefined || query.folded === folded) &&
    (query.failed === undefined || query.failed === (record.state === "failed")) &&
    (query.since === undefined || record.at >= query.since) &&
    (query.until === undefined || record.at <= query.until)
  );
}
