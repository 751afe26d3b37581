/** One line of the journal, by which the parent sees how far it is. */
export interface JournalLine {
  trying?: string;
  killed?: string;
  by?: string;
  /** A test was run with this change, for so long, and did not notice. */
  unnoticed?: string;
  ms?: number;
  covered?: string[];
  finished?: string;
  /** The test fails without any change after changes were tried: what it killed does not count. */
  spoiled?: string[];
  file?: string;
  /** Reached while modules load. */
  atLoad?: string[];
}
/** What was noticed and not taken back. */
export function killedIn(lines: readonly JournalLine[]): Set<string> {
  const killed = new Set<string>();
  for (const line of lines) {
    if (line.killed !== undefined) killed.add(line.killed);
    for (const id of line.spoiled ?? []) killed.delete(id);
  }
  return killed;
}
