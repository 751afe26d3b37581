import { MidfoldError } from "@midfold/core";
import { createUnorderedList } from "../unordered-list.ts";
import type { Identity } from "./identity.ts";

/**
 * Event streams that run until one side disconnects. They do not count as running requests, but each holds a connection
 * and some memory.
 */
export interface FeedLimiter {
  /** Lets one more begin, or throws RATE_LIMITED. Call the returned function when it is over. */
  enter(identity: Identity | undefined, controller: AbortController): () => void;
  /** Ends all of them, since a shutdown would otherwise wait for them for ever. */
  endAll(reason: unknown): void;
}

export function createFeedLimiter(limits: { readonly perKey: number; readonly most: number }): FeedLimiter {
  const feeds = createUnorderedList<{ readonly who: string; readonly controller: AbortController }>();
  return {
    enter: (identity, controller) => {
      const who = identity?.limitedAs ?? identity?.keyId ?? identity?.tenant ?? "";
      const own = feeds.items().filter((feed) => feed.who === who).length;
      if (own >= limits.perKey || feeds.size >= limits.most) {
        throw new MidfoldError("RATE_LIMITED", `There may be ${limits.perKey} event streams at once. Close some.`, {
          details: { retryAfterSeconds: 5 },
        });
      }
      const feed = { who, controller };
      feeds.add(feed);
      return () => feeds.remove(feed);
    },
    endAll: (reason) => {
      for (const { controller } of feeds.items()) controller.abort(reason);
    },
  };
}
