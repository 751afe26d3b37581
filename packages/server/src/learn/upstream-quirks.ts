/** What servers turned out not to take, though their protocol has it. Found out once per upstream, in this process. */
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
