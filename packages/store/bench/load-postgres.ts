import pg from "pg";
import { vectorText } from "../src/sql/postgres/open-postgres.ts";
import { searchPlace } from "../src/sql/search-entries.ts";
import { type LoadedSession, type LoadPlan, loadRows, searchRowOf } from "./load-rows.ts";

export async function loadPostgres(url: string, plan: LoadPlan): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  // Building an index once at the end is faster than updating it with every row.
  await client.query("drop index message_search_by_terms");
  let batch: LoadedSession[] = [];
  for (const session of loadRows(plan)) {
    batch.push(session);
    if (batch.length < 20) continue;
    await insert(client, plan, batch);
    batch = [];
  }
  if (batch.length > 0) await insert(client, plan, batch);
  await client.query(
    "create index message_search_by_terms on message_search using gin (terms) with (fastupdate = off)",
  );
  await client.query(
    "select setval(pg_get_serial_sequence('chat_messages', 'doc_id'), max(doc_id)) from chat_messages",
  );
  await client.query("vacuum analyze");
  await client.end();
}

async function insert(client: pg.Client, plan: LoadPlan, sessions: readonly LoadedSession[]): Promise<void> {
  const { owner, messagesEach, cutoff } = plan;
  const now = Date.now();
  const rows = sessions.flatMap(({ id, messages }) => messages.map((message) => ({ sessionId: id, ...message })));
  const { owner: scope } = searchPlace(owner);
  await client.query("begin");
  await client.query(
    `insert into chat_sessions select $1, id, 'loaded', 'gpt-4o', 'Be brief.', '{}', 1, 1, $2, summary, $3, null, null,
      $4, $4 from unnest($5::text[], $6::text[]) as t (id, summary)`,
    [owner, messagesEach, cutoff, now, sessions.map(({ id }) => id), sessions.map(({ summaryId }) => summaryId)],
  );
  await client.query(
    `insert into chat_messages (doc_id, owner, session_id, seq, id, role, parts_json, pinned, input_tokens, visibility,
        status, search_chunks, created_at) overriding system value
      select doc, $1, session, seq, id, role, parts, 0, 50, 'all', 'complete', 1, $2 + seq
      from unnest($3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[])
        as t (doc, session, seq, id, role, parts)`,
    [
      owner,
      now,
      rows.map(({ docId }) => docId),
      rows.map(({ sessionId }) => sessionId),
      rows.map(({ seq }) => seq),
      rows.map(({ id }) => id),
      rows.map(({ role }) => role),
      rows.map(({ partsJson }) => partsJson),
    ],
  );
  await client.query(
    `insert into message_search select row, $1, terms::tsvector
      from unnest($2::bigint[], $3::text[]) as t (row, terms)`,
    [
      scope,
      rows.map(({ docId }) => searchRowOf(docId)),
      rows.map(({ sessionId, terms }) => vectorText(searchPlace(owner, sessionId).session, terms)),
    ],
  );
  await client.query(
    `insert into session_snapshots select $1, session, id, 'summary', 'active', 1, null, content, '{}', message, $2, 2000,
      $3, fold from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[]) as t (session, id, content, message, fold)`,
    [
      owner,
      cutoff,
      now,
      sessions.map(({ id }) => id),
      sessions.map(({ summaryId }) => summaryId),
      sessions.map(({ summaryJson }) => summaryJson),
      sessions.map(({ messages }) => messages[cutoff - 1]!.id),
      sessions.map(({ foldJson }) => foldJson),
    ],
  );
  await client.query("commit");
}
