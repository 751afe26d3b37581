import { attemptFold } from "./attempt-fold.ts";
import type { FoldResult } from "./fold-options.ts";
import type { FoldJob } from "./start-fold.ts";
import { writeDigests } from "./write-frames.ts";

/** Writes what stands for the folded messages without a model. */
export function foldWithDigests<Wire>(job: FoldJob<Wire>): FoldResult<Wire> {
  const { onProgress } = job.conversation.options;
  onProgress?.({ stage: "writing", share: 0 });
  const texts = writeDigests(job);
  onProgress?.({ stage: "checking", share: 0 });
  return attemptFold(job, (current) => (current === job ? texts : writeDigests(current)));
}
