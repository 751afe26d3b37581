import type { AppliedEdit, NeutralRequest, Reply } from "@midfold/wire";
import type { Turn } from "./turn.ts";

/** What writing an answer in the client's protocol needs beyond its content. */
export function answerContext(
  turn: Turn,
  request: NeutralRequest | undefined,
  appliedEdits: readonly AppliedEdit[] = [],
): Reply {
  const { record, protocol, model } = turn;
  return {
    id: `${protocol.idPrefix}${turn.request.id.slice("req_".length)}`,
    createdAt: Math.floor(record.at / 1000),
    model,
    includeUsage: request?.includeUsage ?? true,
    estimatedInputTokens: record.tokensAfter,
    ...(request === undefined ? {} : { request, hideReasoning: request.reasoning?.hidden ?? false }),
    ...(appliedEdits.length === 0 ? {} : { appliedEdits }),
  };
}
