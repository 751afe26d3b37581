/**
 * Fields that a server turned out to refuse although its protocol has them. Found once per upstream, in this process.
 */
export interface UpstreamQuirks {
  /** It refuses to be asked for usage at the end of a stream. */
  refusesStreamUsage(upstream: string): boolean;
  noteStreamUsageRefused(upstream: string): void;
}

export function createUpstreamQuirks(): UpstreamQuirks {
  const withoutStreamUsage = new Set<string>();
  return {
    refusesStreamUsage: (upstream) => withoutStreamUsage.has(upstream),
    noteStreamUsageRefused: (upstream) => void withoutStreamUsage.add(upstream),
  };
}
