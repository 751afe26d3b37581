/** Lets other work of the thread run. */
export type Pause = () => Promise<void>;

export const nextTurn: Pause = () => new Promise((resolve) => setTimeout(resolve));

/** Work that was written in steps, all at once. */
export function finish<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Work that was written in steps, with a pause after each. */
export async function finishWithPauses<Result>(steps: Generator<undefined, Result>, pause: Pause): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pause();
  }
}
