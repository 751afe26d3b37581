import { isMidfoldError, MidfoldError } from "../errors/midfold-error.ts";
import { answerUnfolded } from "./answer-unfolded.ts";
import { refuseWaiting } from "./check-options.ts";
import { finishFold } from "./finish-fold.ts";
import type { FoldOptions, FoldResult } from "./fold-options.ts";
import { readConversation } from "./read-conversation.ts";
import { reuseRecord } from "./reuse-record.ts";
import { type FoldJob, startFold } from "./start-fold.ts";
import { type SpanText, writeDigests } from "./write-frames.ts";

/** What `foldSync` takes: everything but what would make it wait. */
export type FoldSyncOptions = Omit<
  FoldOptions,
  "cache" | "summarizer" | "signal" | "summary" | "summaryPolicy" | "clock"
>;

/**
 * Keeps a conversation inside its budget without a model. Same format in and out, and the same array when nothing had
 * to change. Throws CONTEXT_OVERFLOW, naming the sizes, when even the smallest allowed form is too large.
 */
export function foldSync<Wire>(messages: readonly Wire[], options: FoldSyncOptions = {}): FoldResult<Wire> {
  refuseWaiting(options);
  const conversation = readConversation(messages, options);
  const ready =
    answerUnfolded(conversation) ?? reuseRecord(conversation, options.force === true ? undefined : options.state);
  if (ready !== undefined) return ready;
  return attemptFold(startFold(conversation, options.state), writeDigests);
}

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
