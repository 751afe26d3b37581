import { isMidfoldError, MidfoldError } from "../errors/midfold-error.ts";
import { finishFold } from "./finish-fold.ts";
import type { FoldResult } from "./fold-options.ts";
import { type FoldJob, startFold } from "./start-fold.ts";
import type { SpanText } from "./write-frames.ts";

/** How often a fold is planned again with less room, because what cannot be clipped made it come out too large. */
const attempts = 14;

/** Writes and finishes a fold; plans again with less room while the outcome is over the budget. */
export function attemptFold<Wire>(job: FoldJob<Wire>, write: (job: FoldJob<Wire>) => SpanText[]): FoldResult<Wire> {
  const { conversation, previous } = job;
  const { budget } = conversation.limits;
  let allowed = budget;
  let current = job;
  for (let attempt = 1; ; attempt++) {
    const finished = finishFold(current, write(current));
    if ("result" in finished) return finished.result;
    const less = allowed - finished.over * 1.2 - 8;
    allowed = Math.floor(attempt < 4 ? less : Math.min(less, allowed * 0.7));
    const next = attempt < attempts && allowed > 0 ? tryStart(conversation, previous, allowed) : undefined;
    if (next === undefined) {
      throw new MidfoldError(
        "CONTEXT_OVERFLOW",
        `The conversation cannot be brought under ${budget} tokens: ${finished.over} too many remain in parts that ` +
          "cannot be clipped, such as images, tool arguments and unknown blocks.",
        { details: { budget, over: finished.over } },
      );
    }
    current = next;
  }
}

function tryStart<Wire>(...args: Parameters<typeof startFold<Wire>>): FoldJob<Wire> | undefined {
  try {
    return startFold(...args);
  } catch (error) {
    if (isMidfoldError(error, "CONTEXT_OVERFLOW")) return undefined;
    throw error;
  }
}
