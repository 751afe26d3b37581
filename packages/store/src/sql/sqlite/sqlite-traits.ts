import { sql } from "kysely";
import type { Phrase } from "../../text/search-query.ts";
import type { DialectTraits, SearchPlace } from "../dialect-traits.ts";
import { sqliteTroubleOf } from "./sqlite-trouble.ts";

export const sqliteTraits: DialectTraits = {
  engine: "sqlite",
  now: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  version: sql<string>`sqlite_version()`,
  countedKey: "integer primary key",
  createSearch: [
    `create virtual table message_search using fts5
      (scope, terms, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'")`,
  ],
  searchEntry: ({ owner, session }, terms) => ({
    scope: `${owner} ${session ?? ""}`,
    terms: sql<string>`${terms.join(" ")}`,
  }),
  matches: (place, phrases) => sql<boolean>`message_search match ${matchText(place, phrases)}`,
  // `begin immediate` already locks.
  lockMigrations: async () => {},
  readIsolation: undefined,
  integrityChecks: ["pragma integrity_check", "pragma foreign_key_check"],
  troubleOf: sqliteTroubleOf,
};

/** Terms and scopes are letters, digits and underscores, so nothing in them can end a quotation. */
function matchText({ owner, session }: SearchPlace, phrases: readonly Phrase[]): string {
  const texts = phrases.map(({ terms, open }) => `"${terms.join(" ")}"${open ? " *" : ""}`);
  return `scope : "${session ?? owner}" AND terms : (${texts.join(" AND ")})`;
}
