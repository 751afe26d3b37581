import type { CliContext } from "../context.ts";

/** Shorter waits need no explanation. */
const quietMs = 2_000;
const repeatMs = 250;

export interface Progress {
  /** Shows the progress, and lets the terminal draw it. */
  report(done: number, total: number): Promise<void>;
  /** Removes the line. */
  end(): void;
}

/**
 * A progress line on standard error for work that takes more than two seconds; on a terminal it is redrawn in place.
 */
export function showProgress(context: CliContext, what: string, now: () => number = () => performance.now()): Progress {
  const startedAt = now();
  let shownAt = Number.NEGATIVE_INFINITY;
  let shown = false;
  return {
    report: async (done, total) => {
      const time = now();
      if (time - startedAt < quietMs || time - shownAt < (context.canAsk ? repeatMs : quietMs)) return;
      shownAt = time;
      shown = true;
      const line = `${what}: ${done} of ${total} (${Math.floor((100 * done) / total)}%)`;
      context.warn(context.canAsk ? `\r${line}\u001b[K` : `${line}\n`);
      await new Promise((resolve) => setImmediate(resolve));
    },
    end: () => {
      if (shown && context.canAsk) context.warn("\r\u001b[K");
    },
  };
}
