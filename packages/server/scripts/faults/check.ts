/** One row of the fault checklist. `run` throws when the required behaviour is missing; what it returns is the evidence. */
export interface Check {
  readonly id: string;
  readonly fault: string;
  readonly run: () => Promise<unknown>;
}

/** A check within something that is set up for it: `check("B1", "what goes wrong", withStage, {}, async ({ gateway }) => …)`. */
export function check<TArgs extends readonly unknown[]>(
  id: string,
  fault: string,
  within: (...args: TArgs) => Promise<unknown>,
  ...args: TArgs
): Check {
  return { id, fault, run: () => within(...args) };
}

export function require(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

export function requireEqual(actual: unknown, expected: unknown, what: string): void {
  require(Object.is(actual, expected), `${what}: expected ${String(expected)}, got ${String(actual)}`);
}

/** Waits until the condition holds; the message says what did not happen. */
export async function waitFor(condition: () => boolean | Promise<boolean>, ms: number, what: string): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    if (await condition()) return performance.now() - startedAt;
    if (performance.now() - startedAt > ms) throw new Error(`${what} did not happen within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const ms = (value: number) => `${Math.round(value)} ms`;
