import type { ReactNode } from "react";

interface HighlightedProps {
  readonly excerpt: string;
  /** Ranges of the excerpt, in order. */
  readonly highlights: readonly (readonly [number, number])[];
}

/** The excerpt of a search hit, with the words found marked. */
export function Highlighted({ excerpt, highlights }: HighlightedProps) {
  const nodes: ReactNode[] = [];
  let at = 0;
  for (const [start, end] of highlights) {
    if (start < at) continue;
    nodes.push(
      excerpt.slice(at, start),
      <mark key={start} className="rounded-sm bg-fold-line/35 text-ink">
        {excerpt.slice(start, end)}
      </mark>,
    );
    at = end;
  }
  nodes.push(excerpt.slice(at));
  return nodes;
}
