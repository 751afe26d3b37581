import { MidfoldError } from "@midfold/core";
import { createUnorderedList } from "./unordered-list.ts";

/** Running requests, so that a shutdown can wait for them or end them. */
export interface LiveRequests {
  add(controller: AbortController): () => void;
  /** Resolves when none is left, or after `ms`. */
  drained(ms: number): Promise<void>;
  /** Ends what is still running; each client is told in its own protocol. */
  endAll(): void;
  readonly size: number;
}

export function createLiveRequests(): LiveRequests {
  const live = createUnorderedList<AbortController>();
  const waiting = new Set<() => void>();
  return {
    add: (controller) => {
      live.add(controller);
      return () => {
        live.remove(controller);
        if (live.size === 0) for (const done of waiting) done();
      };
    },
    drained: (ms) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        waiting.add(done);
        if (live.size === 0) done();
      }),
    endAll: () => {
      const reason = new MidfoldError("OVERLOADED", "The server is shutting down.", {
        details: { retryAfterSeconds: 5 },
      });
      for (const controller of live.items()) controller.abort(reason);
    },
    get size() {
      return live.size;
    },
  };
}
