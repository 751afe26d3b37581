interface BatchOptions<TItem> {
  /** What is added within this time is written in one transaction, since each commit waits for the disk. */
  readonly flushAfterMs: number;
  /** How many items one transaction may hold. */
  readonly batch: number;
  /** Stores a batch. It has to deal with its own errors: the next batch is written either way. */
  readonly write: (items: readonly TItem[]) => Promise<void>;
  /** Whether a process with nothing else to do stays alive until the items are written. */
  readonly keepsAlive: boolean;
}

/** Collects items and writes them together, after the requests they belong to were answered. */
export interface BatchWriter<TItem> {
  add(item: TItem): void;
  /** How many are not written yet. */
  waiting(): number;
  /** Resolves when all that was added before is written. */
  flush(): Promise<void>;
}

export function createBatchWriter<TItem>({
  flushAfterMs,
  batch,
  write,
  keepsAlive,
}: BatchOptions<TItem>): BatchWriter<TItem> {
  let waiting: TItem[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const drain = async () => {
    while (waiting.length > 0) {
      const items = waiting.slice(0, batch);
      waiting = waiting.slice(batch);
      await write(items);
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(drain);
    return writing;
  };
  return {
    add(item) {
      waiting.push(item);
      if (timer !== undefined) return;
      timer = setTimeout(flush, flushAfterMs);
      if (!keepsAlive) timer.unref();
    },
    waiting: () => waiting.length,
    flush,
  };
}
