import type { Plan } from "../plan/plan.ts";
import { answerUnfolded } from "./answer-unfolded.ts";
import { noteClips } from "./clip-new-results.ts";
import type { FoldSyncOptions } from "./fold-sync.ts";
import { readConversation } from "./read-conversation.ts";
import { startFold } from "./start-fold.ts";

/** A dry run: what a fold would do, and nothing else. An empty plan means that nothing has to be done. */
export function planOnly(messages: readonly unknown[], options: FoldSyncOptions = {}): Plan {
  const conversation = readConversation(messages, options);
  return answerUnfolded(conversation)?.plan ?? noteClips(conversation, startFold(conversation, options.state).plan);
}
