import { createHash } from "node:crypto";
import type { CountedPiece } from "./protocol.ts";

/** Below this many tokens providers cache nothing. */
const smallestPrefix = 1_024;

/** Remembers every prefix it has seen, as a provider's prompt cache does, without ever forgetting one. */
export function createPrefixCache() {
  const seen = new Set<string>();
  return {
    /** The tokens at the head of the request that an earlier request had too; remembers this request. */
    admit(pieces: readonly CountedPiece[]): number {
      let chain = "";
      let total = 0;
      let cached = 0;
      for (const piece of pieces) {
        chain = createHash("sha1").update(chain).update("\0").update(piece.identity).digest("base64");
        total += piece.tokens;
        if (seen.has(chain)) cached = total;
        else seen.add(chain);
      }
      return cached < smallestPrefix ? 0 : cached;
    },
  };
}
