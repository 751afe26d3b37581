import { signWith } from "../digest/sign.ts";
import type { Plan } from "../plan/plan.ts";
import { answerUnfolded } from "./answer-unfolded.ts";
import { checkOptions } from "./check-options.ts";
import { noteClips } from "./clip-new-results.ts";
import type { FoldSyncOptions } from "./fold-sync.ts";
import { readConversation } from "./read-conversation.ts";
import { startFold } from "./start-fold.ts";
import * as tables from "./tables.ts";
import { usableRecord } from "./usable-record.ts";

/**
 * A dry run: what a fold would do, and nothing else. An empty plan means that nothing has to be done.
 *
 * @example const { decisions, tokens } = plan(messages, { model: "gpt-4o", budget: 8_000 });
 */
export function planOnly(messages: readonly unknown[], options: FoldSyncOptions = {}): Plan {
  checkOptions(options);
  const conversation = readConversation(
    messages,
    options,
    tables,
    options.secret === undefined ? undefined : signWith(options.secret),
  );
  const unfolded = answerUnfolded(conversation)?.plan;
  const start = () => startFold(conversation, usableRecord(conversation, options.state));
  return unfolded ?? noteClips(conversation, start().plan);
}
