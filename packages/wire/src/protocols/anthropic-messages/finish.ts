import type { BetaStopReason } from "@anthropic-ai/sdk/resources/beta/messages/messages";
import type { FinishReason } from "../../neutral/neutral-response.ts";

const reasons: Readonly<Record<BetaStopReason, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  model_context_window_exceeded: "context-window",
  tool_use: "tool-calls",
  refusal: "refusal",
  pause_turn: "pause",
  compaction: "compaction",
};

export function decodeFinish(reason: unknown): FinishReason {
  return typeof reason === "string" && Object.hasOwn(reasons, reason) ? reasons[reason as BetaStopReason] : "stop";
}

export function encodeFinish(reason: FinishReason): BetaStopReason {
  const found = Object.entries(reasons).find(([, neutral]) => neutral === reason);
  return (found?.[0] ?? "end_turn") as BetaStopReason;
}
