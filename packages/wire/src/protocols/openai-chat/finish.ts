import type { FinishReason } from "../../neutral/neutral-response.ts";

/** Why an answer ended. Many servers say `stop` although they called tools, so the calls decide. */
export function decodeFinish(reason: unknown, hasCalls: boolean, stopSequence?: unknown): FinishReason {
  switch (reason) {
    case "length":
    case "max_tokens":
      return "length";
    case "content_filter":
      return "refusal";
    case "tool_calls":
    case "function_call":
      return hasCalls ? "tool-calls" : "stop";
    default:
      if (hasCalls) return "tool-calls";
      return typeof stopSequence === "string" ? "stop-sequence" : "stop";
  }
}

type WireFinish = "stop" | "length" | "tool_calls" | "content_filter";

export function encodeFinish(reason: FinishReason): WireFinish {
  switch (reason) {
    case "length":
    case "context-window":
      return "length";
    case "tool-calls":
      return "tool_calls";
    case "refusal":
      return "content_filter";
    default:
      return "stop";
  }
}
