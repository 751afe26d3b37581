import type { Pause } from "./encoding/finish.ts";
import { loadEncoding } from "./encoding/get-encoding.ts";
import { defaultFamily } from "./families/default-family.ts";
import { findFamily } from "./families/find-family.ts";

/**
 * Builds the table a model is counted with before it is needed, in steps of a few milliseconds: the first count then
 * does not hold the thread for the tens of milliseconds that building takes. Without a model, the table that all
 * families but OpenAI's oldest share. A model nobody knows is counted without a table, and there is nothing to do.
 *
 * @example await warmCounter("gpt-4o"); // while the program starts
 */
export async function warmCounter(model?: string, options: { readonly pause?: Pause } = {}): Promise<void> {
  const family = model === undefined ? defaultFamily : findFamily(model);
  if (family !== undefined) await loadEncoding(family.encoding, options.pause);
}
