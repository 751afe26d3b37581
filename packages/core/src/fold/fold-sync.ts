import { signWith } from "../digest/sign.ts";
import { answerUnfolded, isAsked } from "./answer-unfolded.ts";
import { checkOptions, refuseWaiting } from "./check-options.ts";
import { mayBeFoldedEarly } from "./due-while-cold.ts";
import type { FoldOptions, FoldResult } from "./fold-options.ts";
import { foldWithDigests } from "./fold-with-digests.ts";
import { readConversation } from "./read-conversation.ts";
import { reuseRecord } from "./reuse-record.ts";
import { startFold } from "./start-fold.ts";
import * as tables from "./tables.ts";
import { usableRecord } from "./usable-record.ts";
import { withRecall } from "./with-recall.ts";

/** What `foldSync` takes: everything but what would make it wait. */
export type FoldSyncOptions = Omit<
  FoldOptions,
  "cache" | "summarizer" | "signal" | "summary" | "summaryPolicy" | "clock" | "onProgress"
>;

/**
 * Keeps a conversation inside its budget without a model. Same format in and out, and the same array when nothing had
 * to change. Throws CONTEXT_OVERFLOW, naming the sizes, when even the smallest allowed form is too large.
 *
 * @example const { messages: fitted, tokens } = foldSync(messages, { model: "gpt-4o", budget: 8_000 });
 */
export function foldSync<Wire>(messages: readonly Wire[], options: FoldSyncOptions = {}): FoldResult<Wire> {
  refuseWaiting(options);
  checkOptions(options);
  const conversation = readConversation(
    messages,
    options,
    tables,
    options.secret === undefined ? undefined : signWith(options.secret),
  );
  conversation.recall = withRecall;
  const unfolded = answerUnfolded(conversation);
  if (unfolded !== undefined && !mayBeFoldedEarly(conversation)) return unfolded;
  const record = usableRecord(conversation, options.state);
  const ready = reuseRecord(conversation, isAsked(options) ? undefined : record) ?? unfolded;
  return ready ?? foldWithDigests(startFold(conversation, record));
}
