export interface KeptAnswersOptions {
  readonly keepMs: number;
  /** Bytes of conversations kept at once; the oldest go first. */
  readonly maxBytes: number;
  readonly now: () => number;
}

/** Answers a client may go on from by their id, each with the whole conversation up to it. One tenant's are not another's. */
export interface KeptAnswers {
  put(tenant: string, id: string, items: readonly unknown[], bytes: number): void;
  get(tenant: string, id: string): readonly unknown[] | undefined;
}

interface Kept {
  readonly items: readonly unknown[];
  readonly bytes: number;
  readonly until: number;
}

export function createKeptAnswers({ keepMs, maxBytes, now }: KeptAnswersOptions): KeptAnswers {
  const kept = new Map<string, Kept>();
  let total = 0;
  const drop = (key: string) => {
    total -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };
  return {
    put: (tenant, id, items, bytes) => {
      const key = `${tenant}\n${id}`;
      drop(key);
      kept.set(key, { items, bytes, until: now() + keepMs });
      total += bytes;
      for (const [oldest, { until }] of kept) {
        if (total <= maxBytes && until > now()) break;
        drop(oldest);
      }
    },
    get: (tenant, id) => {
      const found = kept.get(`${tenant}\n${id}`);
      return found !== undefined && found.until > now() ? found.items : undefined;
    },
  };
}
