import { answerUnfolded, isAsked } from "./answer-unfolded.ts";
import { checkOptions } from "./check-options.ts";
import { mayBeFoldedEarly } from "./due-while-cold.ts";
import type { FoldOptions, FoldResult } from "./fold-options.ts";
import { loadLookups, loadRecall, loadSign } from "./lookups.ts";
import { readConversation } from "./read-conversation.ts";
import { reuseRecord } from "./reuse-record.ts";
import { type FoldJob, startFold } from "./start-fold.ts";

/**
 * Keeps a conversation inside the model's window: the one call most people need. Same format in and out, the same array
 * when nothing had to change. A summarizer that is given writes what stands for folded messages; when it fails, the
 * digest stands in. Throws CONTEXT_OVERFLOW, naming the sizes, when even the smallest allowed form is too large.
 *
 * @example
 * const { messages: fitted, state } = await fold(messages, { model: "gpt-4o" });
 * const next = await fold([...messages, ...newer], { model: "gpt-4o", state }); // the folded start stays as it was
 */
export async function fold<Wire>(messages: readonly Wire[], options: FoldOptions = {}): Promise<FoldResult<Wire>> {
  checkOptions(options);
  options.onProgress?.({ stage: "reading", share: 0 });
  const conversation = readConversation(messages, options, await loadLookups(options), await loadSign(options));
  const unfolded = answerUnfolded(conversation);
  if (unfolded !== undefined && !mayBeFoldedEarly(conversation)) return unfolded;
  const found = options.state ?? (await options.cache?.find(conversation.chain));
  if (unfolded !== undefined && found?.early !== true) return unfolded;
  conversation.recall = await loadRecall(conversation);
  // Loaded by those who have a record.
  const record = found && (await import("./usable-record.ts")).usableRecord(conversation, found);
  const reused = isAsked(options) ? undefined : reuseRecord(conversation, record);
  if (reused !== undefined) {
    // With excerpts for a new question the record has grown.
    if (reused.state !== undefined && reused.state !== record) await options.cache?.save(reused.state, reused.plan);
    return reused;
  }
  if (unfolded !== undefined) return unfolded;
  if (options.elsewhere !== undefined) return (await options.elsewhere(record)) as FoldResult<Wire>;

  options.onProgress?.({ stage: "planning", share: 0 });
  const job = startFold(conversation, record);
  const { summarizer } = options;
  const wanted = summarizer !== undefined && job.plan.spans.some((span) => span.by === "summary");
  if (summarizer !== undefined && !wanted) warnUnused(job);
  // What writes a note is loaded by the first fold that needs one; prompts, templates and the check of summaries by those
  // who have a model write them.
  const result = wanted
    ? await (await import("./write-summaries.ts")).foldWithSummaries(job, summarizer)
    : (await import("./fold-with-digests.ts")).foldWithDigests(job);
  if (result.state !== undefined) await options.cache?.save(result.state, result.plan);
  options.onProgress?.({ stage: "checking", share: 1 });
  return result;
}

/** Nothing to say where clipping and dropping alone made it fit: there was nothing to summarize. */
function warnUnused({ conversation, plan }: FoldJob<unknown>): void {
  const left = plan.decisions.some((decision) => decision.do === "drop" || decision.do === "fold");
  if (!left) return;
  const { preset, options } = conversation;
  const who = options.rungs === undefined ? `The preset "${preset.name}"` : "The rungs given as options";
  conversation.warn({
    code: "summarizer-unused",
    message: `${who} put no summary in place of what is left out, so the summarizer was not asked.`,
  });
}
