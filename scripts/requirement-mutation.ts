/** A behaviour taken away, the requirement that then no longer holds, and the test that must notice. */
export interface RequirementMutation {
  readonly row: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly test: string;
  /** Part of the title of the test that fails. */
  readonly title: string;
}

/** Row, what stands in the file, what stands there instead, and part of the title of the test that must fail. */
type Line = readonly [row: string, find: string, replace: string, title: string];

/** Paths are below `packages/`, unless they start with `/`. */
export function changes(file: string, test: string, lines: readonly Line[]): RequirementMutation[] {
  return lines.map(([row, find, replace, title]) => {
    return { row, file: placeOf(file), find, replace, test: placeOf(test), title };
  });
}

const placeOf = (path: string) => (path.startsWith("/") ? path.slice(1) : `packages/${path}`);
