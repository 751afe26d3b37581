import { readFileSync } from "node:fs";

/**
 * An answer in the shape a provider was seen to send it, byte for byte: `<server>/<what>.json` or `.sse`. The words are our
 * own; the fields, their order and their quirks are the provider's. The simulators write answers from rules; these files
 * hold what no rule of ours would have made up.
 */
export function readRecorded(name: `${string}/${string}.${"json" | "sse"}`): string {
  return readFileSync(new URL(`recorded/${name}`, import.meta.url), "utf8");
}
