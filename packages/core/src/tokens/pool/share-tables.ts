import type { EncodingName } from "../encoding/encoding.ts";
import { adoptVocabulary, builtVocabularies } from "../encoding/get-encoding.ts";
import type { Vocabulary } from "../encoding/vocabulary.ts";

/** The token tables of a thread, in memory that other threads read where it is. To be sent to one as it is. */
export type TokenTables = ReadonlyMap<EncodingName, Vocabulary>;

/**
 * The tables this thread has built, for a thread that it starts: building them anew takes 13 MB and 100 ms.
 *
 * @example const worker = new Worker("./count.js", { workerData: tokenTables() });
 */
export function tokenTables(): TokenTables {
  return builtVocabularies();
}

/**
 * Counts with another thread's tables.
 *
 * @example useTokenTables(workerData); // first thing in the worker that `tokenTables()` was sent to
 */
export function useTokenTables(tables: TokenTables): void {
  for (const [name, vocabulary] of tables) adoptVocabulary(name, vocabulary);
}
