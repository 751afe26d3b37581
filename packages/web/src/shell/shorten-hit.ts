interface Hit {
  readonly excerpt: string;
  readonly highlights: readonly (readonly [number, number])[];
}

/** The same hit, beginning shortly before its first highlight, so that two lines show it. */
export function shortenHit({ excerpt, highlights }: Hit, lead = 28): Hit {
  const first = highlights[0]?.[0] ?? 0;
  if (first <= lead) return { excerpt, highlights };
  const space = excerpt.indexOf(" ", first - lead);
  const start = space < 0 || space >= first ? first - lead : space + 1;
  return {
    excerpt: `…${excerpt.slice(start)}`,
    highlights: highlights.map(([from, to]) => [from - start + 1, to - start + 1] as const),
  };
}
