import { sql } from "kysely";
import { decodeCursor, encodeCursor, pageSize } from "../cursor.ts";
import type { OwnerScope } from "../owner-scope.ts";
import type { Reader } from "../sql/database.ts";
import { docOfRow, firstRowOf, ownerScopeTerm, sessionScopeTerm } from "../sql/search-entries.ts";
import { type Phrase, parseSearchQuery } from "../text/search-query.ts";
import { searchableText } from "../text/searchable-text.ts";
import { toSnippet } from "../text/snippet.ts";
import { messageColumns, toMessageRecord } from "./message-row.ts";
import type { SearchHit, SearchOptions, SearchPage } from "./messages.ts";

const maxCounted = 1000;

export async function searchMessages(
  { database, owner }: OwnerScope,
  query: string,
  options: SearchOptions,
): Promise<SearchPage> {
  const phrases = parseSearchQuery(query);
  if (phrases.length === 0) return { items: [], count: 0, countIsExact: true };
  const limit = pageSize(options.limit, 20, 200);
  const place = options.sessionId === undefined ? ownerScopeTerm(owner) : sessionScopeTerm(owner, options.sessionId);
  const matches = database.traits.matches(place, phrases);
  const [before] = options.after === undefined ? [undefined] : decodeCursor<[number]>(options.after, ["number"]);

  const [rows, counted] = await Promise.all([
    database.read((db) => findRows(db, { owner, matches, before, limit: limit + 1 })),
    database.read((db) => countRows(db, matches)),
  ]);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map((row) => toHit(row, phrases)),
    count: Math.min(counted.messages, maxCounted),
    countIsExact: counted.entries <= maxCounted,
    ...(rows.length > limit && last !== undefined ? { next: encodeCursor(firstRowOf(last.doc_id)) } : {}),
  };
}

type Row = Awaited<ReturnType<typeof findEntries>>[number];

interface Wanted {
  readonly owner: string;
  readonly matches: ReturnType<OwnerScope["database"]["traits"]["matches"]>;
  readonly before: number | undefined;
  readonly limit: number;
}

/** A long message has several entries, which may all match: reads on until there are enough different messages. */
async function findRows(db: Reader, wanted: Wanted): Promise<readonly Row[]> {
  const found = new Map<number, Row>();
  let { before } = wanted;
  for (;;) {
    const rows = await findEntries(db, { ...wanted, before });
    for (const row of rows) if (found.size < wanted.limit) found.set(row.doc_id, row);
    if (found.size === wanted.limit || rows.length < wanted.limit) return [...found.values()];
    before = firstRowOf(rows.at(-1)!.doc_id);
  }
}

function findEntries(db: Reader, { owner, matches, before, limit }: Wanted) {
  let query = db
    .selectFrom("message_search")
    .innerJoin("chat_messages", (join) => join.on("chat_messages.doc_id", "=", docOfRow))
    .innerJoin("chat_sessions", (join) =>
      join
        .onRef("chat_sessions.owner", "=", "chat_messages.owner")
        .onRef("chat_sessions.id", "=", "chat_messages.session_id"),
    )
    .select(messageColumns)
    .select(["chat_messages.doc_id", "chat_sessions.title", "chat_sessions.cutoff_seq"])
    .where(matches)
    // The scope term has done this already; a second wall costs nothing.
    .where("chat_messages.owner", "=", owner);
  if (before !== undefined) query = query.where("message_search.rowid", "<", before);
  return query.orderBy("message_search.rowid", "desc").limit(limit).execute();
}

async function countRows(db: Reader, matches: Wanted["matches"]) {
  const entries = db
    .selectFrom("message_search")
    .select(docOfRow.as("doc"))
    .where(matches)
    .limit(maxCounted + 1);
  return db
    .selectFrom(entries.as("found"))
    .select([sql<number>`count(*)`.as("entries"), sql<number>`count(distinct doc)`.as("messages")])
    .executeTakeFirstOrThrow();
}

function toHit(row: Row, phrases: readonly Phrase[]): SearchHit {
  const message = toMessageRecord(row, row.cutoff_seq);
  return { message, sessionTitle: row.title, ...toSnippet(searchableText(message.parts), phrases) };
}
