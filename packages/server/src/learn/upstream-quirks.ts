import { LRUCache } from "lru-cache";

/**
 * What a server turned out not to do although its protocol has it. Found once per upstream, in this process.
 */
export interface UpstreamQuirks {
  /** It refuses to be asked for usage at the end of a stream. */
  refusesStreamUsage(upstream: string): boolean;
  noteStreamUsageRefused(upstream: string): void;
  /** It keeps no answers of this caller's, so that nobody can go on from one by its id. */
  keepsNothing(tenant: string, upstream: string): boolean;
  /** True when that is new. */
  noteKeepsNothing(tenant: string, upstream: string): boolean;
}

export function createUpstreamQuirks(): UpstreamQuirks {
  const withoutStreamUsage = new Set<string>();
  const forgetful = new LRUCache<string, true>({ max: 10_000 });
  return {
    refusesStreamUsage: (upstream) => withoutStreamUsage.has(upstream),
    noteStreamUsageRefused: (upstream) => void withoutStreamUsage.add(upstream),
    keepsNothing: (tenant, upstream) => forgetful.has(`${tenant}\n${upstream}`),
    noteKeepsNothing: (tenant, upstream) => {
      const key = `${tenant}\n${upstream}`;
      if (forgetful.has(key)) return false;
      forgetful.set(key, true);
      return true;
    },
  };
}
