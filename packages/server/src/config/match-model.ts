export interface ModelMatch {
  /** How much of the name the pattern spells out; a whole name beats every pattern. */
  readonly rank: number;
  /** What each `*` stood for. */
  readonly captured: readonly string[];
}

/** Matches a model name against a pattern, in which `*` stands for anything. Case does not count. */
export function matchModel(pattern: string, model: string): ModelMatch | undefined {
  const parts = pattern.toLowerCase().split("*");
  const name = model.toLowerCase();
  if (parts.length === 1) return parts[0] === name ? { rank: Number.POSITIVE_INFINITY, captured: [] } : undefined;
  const first = parts[0] as string;
  const last = parts.at(-1) as string;
  const end = name.length - last.length;
  if (!name.startsWith(first) || !name.endsWith(last) || end < first.length) return undefined;
  const captured: string[] = [];
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return undefined;
    captured.push(model.slice(at, found));
    at = found + part.length;
  }
  captured.push(model.slice(at, end));
  return { rank: pattern.length - captured.length, captured };
}
