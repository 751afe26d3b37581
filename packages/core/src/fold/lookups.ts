import type { Sign } from "../digest/sign.ts";
import type { resolveModel } from "../models/resolve-model.ts";
import type { getCounter } from "../tokens/get-counter.ts";
import type { FoldOptions } from "./fold-options.ts";

/** Where a fold finds out about a model and how to count for it: tables of a megabyte and more. */
export interface Lookups {
  readonly resolveModel: typeof resolveModel;
  readonly getCounter: typeof getCounter;
}

let loaded: Lookups | undefined;

/**
 * Loads the tables when they are needed and not before: a program that imports `fold` and brings its own counter never
 * loads them. Undefined where the options say everything.
 */
export async function loadLookups({ model, counter }: FoldOptions): Promise<Lookups | undefined> {
  if (loaded !== undefined) return loaded;
  if (model === undefined && counter !== undefined) return undefined;
  const [models, counters] = await Promise.all([
    import("../models/resolve-model.ts"),
    import("../tokens/get-counter.ts"),
  ]);
  loaded = { resolveModel: models.resolveModel, getCounter: counters.getCounter };
  return loaded;
}

/** What signs frames, loaded for those who give a secret. */
export async function loadSign({ secret }: FoldOptions): Promise<Sign | undefined> {
  return secret === undefined ? undefined : (await import("../digest/sign.ts")).signWith(secret);
}
