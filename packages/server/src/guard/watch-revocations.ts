import { MidfoldError } from "@midfold/core";
import type { FindKey } from "./identity.ts";

export interface RevocationWatch {
  /** Ends the request if its key is revoked while it runs. The returned function stops watching it. */
  add(keyHash: string, controller: AbortController): () => void;
  stop(): void;
}

/** Looks up the keys of running requests at intervals, without the cache, and ends the requests of revoked keys. */
export function watchRevocations(find: FindKey, everyMs: number): RevocationWatch {
  const open = new Map<string, Set<AbortController>>();
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    for (const [hash, controllers] of open) {
      try {
        if ((await find(hash)) !== undefined) continue;
      } catch {
        // While the store does not answer, no key counts as revoked.
        continue;
      }
      const reason = new MidfoldError("UNAUTHORIZED", "The key was revoked.");
      for (const controller of controllers) controller.abort(reason);
    }
  };
  return {
    add: (keyHash, controller) => {
      const controllers = open.get(keyHash) ?? new Set();
      controllers.add(controller);
      open.set(keyHash, controllers);
      timer ??= setInterval(() => void look(), everyMs).unref();
      return () => {
        controllers.delete(controller);
        if (controllers.size === 0) open.delete(keyHash);
        if (open.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      };
    },
    stop: () => clearInterval(timer),
  };
}
