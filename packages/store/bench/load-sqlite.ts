import { DatabaseSync } from "node:sqlite";
import { searchPlace } from "../src/sql/search-entries.ts";
import { type LoadPlan, loadRows, searchRowOf } from "./load-rows.ts";

export function loadSqlite(path: string, plan: LoadPlan): void {
  const { owner, messagesEach, cutoff } = plan;
  const db = new DatabaseSync(path);
  db.exec("pragma synchronous = off; pragma cache_size = -262144");
  const session = db.prepare(`insert into chat_sessions values
    (?, ?, 'loaded', 'gpt-4o', 'Be brief.', '{}', 1, 1, ?, ?, ?, null, null, ?, ?)`);
  const message = db.prepare(`insert into chat_messages values
    (?, ?, ?, ?, ?, ?, ?, null, 0, null, 50, null, 'all', 'complete', 1, ?)`);
  const search = db.prepare("insert into message_search (rowid, scope, terms) values (?, ?, ?)");
  const snapshot = db.prepare(`insert into session_snapshots values
    (?, ?, ?, 'summary', 'active', 1, null, ?, '{}', ?, ?, 2000, ?, ?)`);
  const now = Date.now();
  let count = 0;
  db.exec("begin");
  for (const { id, summaryId, summaryJson, foldJson, messages } of loadRows(plan)) {
    session.run(owner, id, messagesEach, summaryId, cutoff, now, now + count);
    const place = searchPlace(owner, id);
    for (const row of messages) {
      message.run(row.docId, owner, id, row.seq, row.id, row.role, row.partsJson, now + row.seq);
      search.run(searchRowOf(row.docId), `${place.owner} ${place.session}`, row.terms.join(" "));
    }
    snapshot.run(owner, id, summaryId, summaryJson, messages[cutoff - 1]!.id, cutoff, now, foldJson);
    if (++count % 500 === 0) db.exec("commit; begin");
  }
  db.exec("commit; analyze");
  db.close();
}
