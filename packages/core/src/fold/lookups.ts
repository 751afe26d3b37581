import type { Sign } from "../digest/sign.ts";
import type { FoldOptions } from "./fold-options.ts";
import type { Conversation } from "./read-conversation.ts";
import { recallTokens } from "./recall-room.ts";

/** Where a fold finds out about a model and how to count for it: tables of a megabyte and more. */
export type Lookups = typeof import("./tables.ts");

let loaded: Lookups | undefined;

/**
 * Loads the tables when they are needed and not before: a program that imports `fold` and brings its own counter never
 * loads them. Undefined where the options say everything.
 */
export async function loadLookups({ model, counter }: FoldOptions): Promise<Lookups | undefined> {
  if (model === undefined && counter !== undefined) return undefined;
  loaded ??= await import("./tables.ts");
  return loaded;
}

/** What searches folded messages, loaded for a fold that has room for excerpts. */
export async function loadRecall(conversation: Conversation<unknown>): Promise<Conversation<unknown>["recall"]> {
  return recallTokens(conversation) === 0 ? undefined : (await import("./with-recall.ts")).withRecall;
}

/** What signs frames, loaded for those who give a secret. */
export async function loadSign({ secret }: FoldOptions): Promise<Sign | undefined> {
  return secret === undefined ? undefined : (await import("../digest/sign.ts")).signWith(secret);
}
