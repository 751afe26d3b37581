import type { AppliedEdit } from "../../neutral/neutral-request.ts";
import type { NeutralResponse } from "../../neutral/neutral-response.ts";
import type { ReplyContext } from "../../neutral/protocol.ts";
import { encodeFinish } from "./finish.ts";
import { replyBlocks } from "./reply-blocks.ts";
import { encodeUsage } from "./usage.ts";

export function encodeResponse(response: NeutralResponse, reply: ReplyContext): unknown {
  return {
    id: reply.id,
    type: "message",
    role: "assistant",
    model: reply.model,
    content: replyBlocks(response.parts, reply),
    stop_reason: encodeFinish(response.finish),
    stop_sequence: response.finish === "stop-sequence" ? (response.stopSequence ?? null) : null,
    usage: encodeUsage(response.usage ?? { inputTokens: reply.estimatedInputTokens, outputTokens: 0 }),
    ...contextManagement(reply),
  };
}

/** Only clients that asked for edits are told which were made. */
export function contextManagement(reply: ReplyContext): { context_management?: unknown } {
  if (reply.appliedEdits === undefined) return {};
  return { context_management: { applied_edits: reply.appliedEdits.map(encodeEdit) } };
}

function encodeEdit(edit: AppliedEdit): unknown {
  const cleared = { cleared_input_tokens: edit.clearedInputTokens };
  return edit.type === "clear-tool-uses"
    ? { type: "clear_tool_uses_20250919", cleared_tool_uses: edit.clearedToolUses, ...cleared }
    : { type: "clear_thinking_20251015", cleared_thinking_turns: edit.clearedTurns, ...cleared };
}
