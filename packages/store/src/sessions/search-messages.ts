import { sql } from "kysely";
import { decodeCursor, encodeCursor, pageSize } from "../cursor.ts";
import type { OwnerScope } from "../owner-scope.ts";
import type { Reader } from "../sql/database.ts";
import { docOfRow, firstRowOf, searchPlace } from "../sql/search-entries.ts";
import { type Phrase, parseSearchQuery } from "../text/search-query.ts";
import { searchableText } from "../text/searchable-text.ts";
import { toSnippet } from "../text/snippet.ts";
import { messageColumns, toMessageRecord } from "./message-row.ts";
import type { SearchHit, SearchOptions, SearchPage } from "./messages.ts";

const maxCounted = 1000;

/**
 * Three short queries: how many match (up to a thousand), which of them are the newest, and their text. As one query,
 * the database would have to guess the first answer, and a wrong guess takes seconds on a million messages.
 */
export async function searchMessages(
  { database, owner }: OwnerScope,
  query: string,
  options: SearchOptions,
): Promise<SearchPage> {
  const asked = parseSearchQuery(query);
  if (asked.length === 0) return { items: [], count: 0, countIsExact: true };
  const limit = pageSize(options.limit, 20, 200);
  const place = searchPlace(owner, options.sessionId);
  const [before] = options.after === undefined ? [undefined] : decodeCursor<[number]>(options.after, ["number"]);

  return database.read(async (db) => {
    const phrases = await closeFrequent(db, { database, owner }, asked);
    const matches = database.traits.matches(place, phrases);
    const counted = await countEntries(db, matches);
    const isExact = counted.entries <= maxCounted;
    const docs = await newestDocs(db, { matches, before, few: isExact, limit: limit + 1 });
    const page = docs.slice(0, limit);
    const last = page.at(-1);
    return {
      items: await loadHits(db, { owner, docs: page, phrases }),
      count: Math.min(counted.messages, maxCounted),
      countIsExact: isExact,
      ...(docs.length > limit && last !== undefined ? { next: encodeCursor(firstRowOf(last)) } : {}),
    };
  });
}

/**
 * A word found in more than a thousand messages matches only itself; rarer ones also match longer words they start. For
 * a frequent word, collecting those would read most of the index.
 */
async function closeFrequent(
  db: Reader,
  { database, owner }: OwnerScope,
  phrases: readonly Phrase[],
): Promise<readonly Phrase[]> {
  return Promise.all(
    phrases.map(async (phrase) => {
      if (!phrase.open || phrase.half) return phrase;
      const word = { terms: phrase.terms.slice(-1), open: false, half: false };
      const { entries } = await countEntries(db, database.traits.matches(searchPlace(owner), [word]));
      return entries > maxCounted ? { ...phrase, open: false } : phrase;
    }),
  );
}

type Matches = ReturnType<OwnerScope["database"]["traits"]["matches"]>;

async function countEntries(db: Reader, matches: Matches) {
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

interface Wanted {
  readonly matches: Matches;
  readonly before: number | undefined;
  /**
   * Few matches are collected and sorted; with many, walking back from the newest message finds enough of them soon.
   */
  readonly few: boolean;
  readonly limit: number;
}

/** A long message has several entries, which may all match: reads on until enough different messages are found. */
async function newestDocs(db: Reader, wanted: Wanted): Promise<readonly number[]> {
  const docs = new Set<number>();
  let { before } = wanted;
  for (;;) {
    const found = await newestEntries(db, { ...wanted, before });
    for (const { doc } of found) if (docs.size < wanted.limit) docs.add(doc);
    if (docs.size === wanted.limit || found.length < wanted.limit) return [...docs];
    before = firstRowOf(found.at(-1)!.doc);
  }
}

function newestEntries(db: Reader, { matches, before, few, limit }: Wanted) {
  let query = db
    .selectFrom("message_search")
    .select(["rowid", docOfRow.as("doc")])
    .where(matches);
  if (before !== undefined) query = query.where("rowid", "<", before);
  if (!few) return query.orderBy("rowid", "desc").limit(limit).execute();
  return db
    .with(
      (cte) => cte("found").materialized(),
      () => query,
    )
    .selectFrom("found")
    .selectAll()
    .orderBy("rowid", "desc")
    .limit(limit)
    .execute();
}

async function loadHits(
  db: Reader,
  {
    owner,
    docs,
    phrases,
  }: { readonly owner: string; readonly docs: readonly number[]; readonly phrases: readonly Phrase[] },
): Promise<readonly SearchHit[]> {
  if (docs.length === 0) return [];
  const rows = await db
    .selectFrom("chat_messages")
    .innerJoin("chat_sessions", (join) =>
      join
        .onRef("chat_sessions.owner", "=", "chat_messages.owner")
        .onRef("chat_sessions.id", "=", "chat_messages.session_id"),
    )
    .select(messageColumns)
    .select(["chat_messages.doc_id", "chat_sessions.title", "chat_sessions.cutoff_seq"])
    .where("chat_messages.doc_id", "in", docs)
    // The search scope already limits this to the owner; checked again in case the index is wrong.
    .where("chat_messages.owner", "=", owner)
    .orderBy("chat_messages.doc_id", "desc")
    .execute();
  return rows.map((row) => {
    const message = toMessageRecord(row, row.cutoff_seq);
    return { message, sessionTitle: row.title, ...toSnippet(searchableText(message.parts), phrases) };
  });
}
