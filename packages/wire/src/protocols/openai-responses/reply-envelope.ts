import type { MidfoldError } from "@midfold/core";
import { isJsonObject } from "../../neutral/json-object.ts";
import type { FinishReason, Usage } from "../../neutral/neutral-response.ts";
import type { ReplyContext } from "../../neutral/protocol.ts";
import { kindOf, openaiMessage } from "../openai-error.ts";
import { encodeUsage } from "./usage.ts";

type Status = "in_progress" | "completed" | "incomplete" | "failed";

/** What a response says around its output; much of it repeats the request. */
export function replyEnvelope(
  reply: ReplyContext,
  output: readonly unknown[],
  state: { status: Status; usage?: Usage },
) {
  const asked = isJsonObject(reply.request?.source) ? reply.request.source : {};
  return {
    id: reply.id,
    object: "response",
    created_at: reply.createdAt,
    status: state.status,
    background: false,
    error: null as { code: string; message: string } | null,
    incomplete_details: null as { reason: string } | null,
    instructions: asked.instructions ?? null,
    max_output_tokens: reply.request?.maxOutputTokens ?? null,
    model: reply.model,
    output,
    parallel_tool_calls: reply.request?.parallelToolCalls ?? true,
    previous_response_id: null,
    prompt_cache_key: reply.request?.cacheKey ?? null,
    reasoning: asked.reasoning ?? { effort: null, summary: null },
    store: false,
    temperature: reply.request?.temperature ?? null,
    text: asked.text ?? { format: { type: "text" } },
    tool_choice: asked.tool_choice ?? "auto",
    tools: asked.tools ?? [],
    top_p: reply.request?.topP ?? null,
    truncation: "disabled",
    usage: state.usage === undefined ? null : encodeUsage(state.usage),
    metadata: asked.metadata ?? {},
  };
}

/** Why a response is incomplete; undefined when it is complete. */
export function incompleteReason(finish: FinishReason): string | undefined {
  if (finish === "length" || finish === "context-window") return "max_output_tokens";
  return finish === "refusal" ? "content_filter" : undefined;
}

/** The error inside a failed response; its clients know an overflow by this code alone. */
export function replyError(error: MidfoldError): { code: string; message: string } {
  return { code: kindOf(error).code ?? "invalid_prompt", message: openaiMessage(error, "input") };
}
