/** Replies and folds that run in this process, so that they can be stopped. */
export interface RunningWork {
  /** Runs `work` with a signal that `abort(key)` or the outer signal aborts. */
  track<TResult>(
    key: string,
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<TResult>,
  ): Promise<TResult>;
  /** The same for work that is not one promise: call the returned function when it is done. */
  begin(key: string, outer?: AbortSignal): { readonly signal: AbortSignal; end(): void };
  /** Returns how many were aborted. */
  abort(key: string, reason?: unknown): number;
  has(key: string): boolean;
  /** Resolves when nothing is running. */
  idle(): Promise<void>;
}

/** `onBegin` is called for everything that begins, and returns what to call at its end: a shutdown waits for it. */
export function createRunningWork(onBegin?: (work: AbortController) => () => void): RunningWork {
  const controllers = new Map<string, Set<AbortController>>();
  const waiting = new Set<() => void>();

  const begin: RunningWork["begin"] = (key, outer) => {
    const controller = new AbortController();
    const ended = onBegin?.(controller);
    const signal = outer === undefined ? controller.signal : AbortSignal.any([controller.signal, outer]);
    const set = controllers.get(key) ?? new Set();
    controllers.set(key, set.add(controller));
    return {
      signal,
      end() {
        set.delete(controller);
        ended?.();
        if (set.size === 0 && controllers.get(key) === set) controllers.delete(key);
        if (controllers.size > 0) return;
        for (const resolve of waiting) resolve();
        waiting.clear();
      },
    };
  };

  return {
    begin,
    async track(key, outer, work) {
      const { signal, end } = begin(key, outer);
      try {
        return await work(signal);
      } finally {
        end();
      }
    },
    abort(key, reason) {
      const set = [...(controllers.get(key) ?? [])];
      for (const controller of set) controller.abort(reason);
      return set.length;
    },
    has: (key) => controllers.has(key),
    idle: () => (controllers.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.add(resolve))),
  };
}

/** Contains the owner, so that guessing the id of another owner's session has no effect. */
export const replyKey = (owner: string, sessionId: string): string => `reply:${owner}:${sessionId}`;
export const foldKey = (foldId: string): string => `fold:${foldId}`;
