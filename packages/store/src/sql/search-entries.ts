import { createHash } from "node:crypto";
import { sql } from "kysely";
import { maxChunks } from "../text/index-terms.ts";
import type { Reader, Writer } from "./database.ts";
import type { DialectTraits, SearchPlace } from "./dialect-traits.ts";

export interface SearchEntry {
  readonly docId: number;
  readonly chunks: readonly (readonly string[])[];
}

/** The names of an owner, or of one session, in the search index. No text can contain them. */
export function searchPlace(owner: string, sessionId?: string): SearchPlace {
  return {
    owner: `_o${digest(owner)}`,
    session: sessionId === undefined ? undefined : `_s${digest(`${owner}\0${sessionId}`)}`,
  };
}

/** The entries of one message have consecutive row ids, computed from the message's number. */
export const docOfRow = sql<number>`message_search.rowid / ${sql.lit(maxChunks)}`;
export const firstRowOf = (docId: number): number => docId * maxChunks;

/** Rows per statement. */
const batch = 50;

export async function addSearchEntries(
  db: Writer,
  traits: DialectTraits,
  place: { readonly owner: string; readonly sessionId: string; readonly entries: readonly SearchEntry[] },
): Promise<void> {
  const where = searchPlace(place.owner, place.sessionId);
  const rows = place.entries.flatMap(({ docId, chunks }) =>
    chunks.map((terms, index) => ({
      rowid: firstRowOf(docId) + index,
      ...traits.searchEntry(where, terms),
    })),
  );
  for (let from = 0; from < rows.length; from += batch) {
    await db
      .insertInto("message_search")
      .values(rows.slice(from, from + batch))
      .execute();
  }
}

/** Removes the entries of some messages of a session. To be called before the messages are deleted. */
export async function removeSearchEntries(
  db: Writer,
  place: { readonly owner: string; readonly sessionId: string; readonly fromSeq: number; readonly toSeq: number },
): Promise<void> {
  const messages = (q: Reader) =>
    q
      .selectFrom("chat_messages")
      .where(({ and }) => and({ owner: place.owner, session_id: place.sessionId }))
      .where("seq", ">=", place.fromSeq)
      .where("seq", "<=", place.toSeq);
  const most = await messages(db)
    .select(({ fn }) => fn.max("search_chunks").as("most"))
    .executeTakeFirst();
  for (let chunk = 0; chunk < (most?.most ?? 0); chunk++) {
    await db
      .deleteFrom("message_search")
      .where(
        "rowid",
        "in",
        messages(db)
          .where("search_chunks", ">", chunk)
          .select(sql<number>`doc_id * ${sql.lit(maxChunks)} + ${sql.lit(chunk)}`.as("row")),
      )
      .execute();
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
