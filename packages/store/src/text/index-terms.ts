import { setImmediate } from "node:timers/promises";
import { termsOf } from "./terms.ts";

/** Terms per search entry. PostgreSQL stores no position beyond 16 383, and phrases need positions. */
const chunkTerms = 15_000;
/** Terms repeated in the next entry, so that a phrase across the border is found in one of them. */
const overlap = 16;
export const maxChunks = 64;

/** A text's terms, split into entries of limited size. Lets other work run in between. */
export async function indexTerms(text: string): Promise<readonly (readonly string[])[]> {
  const chunks: string[][] = [];
  let chunk: string[] = [];
  let sincePause = 0;
  for (const { term } of termsOf(text)) {
    chunk.push(term);
    if (chunk.length === chunkTerms) {
      chunks.push(chunk);
      if (chunks.length === maxChunks) return chunks;
      chunk = chunk.slice(-overlap);
    }
    if (++sincePause === 20_000) {
      sincePause = 0;
      await setImmediate();
    }
  }
  if (chunks.length === 0 ? chunk.length > 0 : chunk.length > overlap) chunks.push(chunk);
  return chunks;
}
