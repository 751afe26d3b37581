/** Why a request is refused, before it takes a protocol's envelope. */
export interface Problem {
  readonly status: number;
  /** The provider's error type: `invalid_request_error`, `authentication_error`… */
  readonly type: string;
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
}

export const invalid = (message: string, extra: { readonly param?: string; readonly code?: string } = {}): Problem => ({
  status: 400,
  type: "invalid_request_error",
  message,
  ...extra,
});

/** The first problem that any of the checks finds; later checks may rely on the earlier ones having passed. */
export function firstProblem(...checks: readonly (() => Problem | undefined)[]): Problem | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The first problem in a list. */
export function problemIn<TItem>(
  items: readonly TItem[],
  check: (item: TItem, index: number) => Problem | undefined,
): Problem | undefined {
  for (const [index, item] of items.entries()) {
    const problem = check(item, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
