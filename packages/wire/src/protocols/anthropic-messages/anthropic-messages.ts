import { formats, type Message, MidfoldError, type Part, type ToolChoice } from "@midfold/core";
import { compact, isJsonObject, type JsonObject, numberField, textField } from "../../neutral/json-object.ts";
import type { ContextEdit, NeutralRequest, ReasoningRequest, ResponseFormat } from "../../neutral/neutral-request.ts";
import type { NeutralResponse } from "../../neutral/neutral-response.ts";
import type { BodyAccess, ModelEntry, ModelPage, Protocol } from "../../neutral/protocol.ts";
import { splitLeadingSystem } from "../../translate/place-system-turns.ts";
import { decodeErrorObject, decodeFailure } from "../decode-failure.ts";
import { decodeTools } from "../decode-tools.ts";
import { readBody, readMessages, readModel, readStops, unknownFields } from "../read-body.ts";
import { readEffort } from "../read-effort.ts";
import { cacheKeptMs } from "./cache-kept.ts";
import { encodeError, overflowError } from "./encode-error.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { decodeFinish } from "./finish.ts";
import { mendBody } from "./mend-body.ts";
import { createStreamDecoder } from "./stream-decoder.ts";
import { createStreamEncoder, ping } from "./stream-encoder.ts";
import { openSignature } from "./synthetic-signature.ts";
import { decodeUsage } from "./usage.ts";

const bodyAccess: BodyAccess = {
  fields: {
    model: "model",
    stream: "stream",
    tools: "tools",
    messages: "messages",
    system: "system",
    maxOutput: ["max_tokens"],
    contextEdits: "context_management",
  },
  messagesOf: (body) => (isJsonObject(body) && Array.isArray(body.messages) ? body.messages : []),
  assertConversation: (body) => void readMessages(readBody(body)),
  withMessages: (body, messages) => (isJsonObject(body) ? { ...body, messages } : body),
  systemOf: (body) => (isJsonObject(body) ? decodeSystem(body.system) : []),
  toolsOf: (body) => (isJsonObject(body) ? decodeTools(body.tools) : []),
  toolChoiceOf: (body) => (isJsonObject(body) ? decodeToolChoice(body.tool_choice).toolChoice : undefined),
  maxOutputOf: (body) => (isJsonObject(body) ? numberField(body.max_tokens) : undefined),
  cacheKeptMs,
  mend: mendBody,
  withMaxOutput: (body, tokens) => {
    if (!isJsonObject(body)) return body;
    const { thinking } = body;
    const budget = isJsonObject(thinking) ? numberField(thinking.budget_tokens) : undefined;
    if (budget === undefined || budget < tokens) return { ...body, max_tokens: tokens };
    // The API demands a budget for reasoning below the limit, and at least 1024; below that the reasoning are left out.
    const smaller = tokens - 1;
    const { thinking: _, ...rest } = body;
    const kept =
      smaller >= 1_024 && isJsonObject(thinking) ? { thinking: { ...thinking, budget_tokens: smaller } } : {};
    return { ...rest, ...kept, max_tokens: tokens };
  },
};

/** Anthropic Messages. */
export const anthropicMessages: Protocol = {
  name: "anthropic-messages",
  format: formats["anthropic-messages"],
  idPrefix: "msg_",
  body: bodyAccess,
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createStreamDecoder,
  createStreamEncoder,
  keepAlive: ping,
  decodeError: decodeFailure,
  encodeError,
  overflowError,
  encodeModels,
  encodeModel,
  encodeTokenCount: (inputTokens) => ({ input_tokens: inputTokens }),
};

const pageSize = 20;
const largestPage = 1_000;

/** One page of the models list. */
function encodeModels(models: readonly ModelEntry[], page: ModelPage = {}): unknown {
  const limit = Math.min(Math.max(1, page.limit ?? pageSize), largestPage);
  const after = page.afterId === undefined ? 0 : models.findIndex((model) => model.id === page.afterId) + 1;
  const before = page.beforeId === undefined ? -1 : models.findIndex((model) => model.id === page.beforeId);
  const end = before < 0 ? Math.min(models.length, after + limit) : before;
  const start = before < 0 ? after : Math.max(0, before - limit);
  const data = models.slice(start, end);
  return {
    data: data.map(encodeModel),
    has_more: before < 0 ? end < models.length : start > 0,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function encodeModel(model: ModelEntry): unknown {
  return {
    type: "model",
    id: model.id,
    display_name: model.displayName ?? model.id,
    created_at: new Date((model.createdAt ?? 0) * 1000).toISOString(),
    ...(model.contextWindow === undefined ? {} : { max_input_tokens: model.contextWindow }),
    ...(model.maxOutputTokens === undefined ? {} : { max_tokens: model.maxOutputTokens }),
  };
}

function decodeResponse(body: unknown): NeutralResponse {
  if (isJsonObject(body) && isJsonObject(body.error)) throw decodeErrorObject(body);
  const message =
    isJsonObject(body) && Array.isArray(body.content)
      ? formats["anthropic-messages"].decode([{ role: "assistant", content: body.content }], { onInvalid: "skip" })[0]
      : undefined;
  if (!isJsonObject(body) || message === undefined) {
    throw new MidfoldError("UPSTREAM_BROKEN", "The upstream sent something that is not a message.");
  }
  return compact({
    id: textField(body.id),
    model: textField(body.model),
    parts: message.parts,
    finish: decodeFinish(body.stop_reason),
    stopSequence: textField(body.stop_sequence),
    usage: decodeUsage(body.usage),
    source: body,
  });
}

const known: ReadonlySet<string> = new Set([
  ...["model", "messages", "system", "tools", "tool_choice", "max_tokens", "temperature", "top_p", "top_k"],
  ...["stop_sequences", "stream", "thinking", "output_config", "output_format", "metadata", "context_management"],
  "cache_control",
]);

function decodeRequest(raw: unknown): NeutralRequest {
  const body = readBody(raw);
  const messages = formats["anthropic-messages"].decode(readMessages(body));
  const [leading, rest] = splitLeadingSystem(messages);
  const user = isJsonObject(body.metadata) ? textField(body.metadata.user_id) : undefined;
  return compact({
    model: readModel(body),
    system: [...withoutBillingHeader(decodeSystem(body.system)), ...leading],
    messages: rest.map(openSignatures),
    tools: decodeTools(body.tools),
    ...decodeToolChoice(body.tool_choice),
    maxOutputTokens: numberField(body.max_tokens),
    temperature: numberField(body.temperature),
    topP: numberField(body.top_p),
    topK: numberField(body.top_k),
    stop: readStops(body.stop_sequences),
    reasoning: decodeReasoning(body),
    responseFormat: decodeFormat(body),
    stream: body.stream === true,
    includeUsage: true,
    user,
    cacheKey: user === undefined ? undefined : sessionOf(user),
    contextEdits: decodeContextEdits(body.context_management),
    extra: unknownFields(body, known),
    source: raw,
  });
}

function openSignatures(message: Message): Message {
  if (!message.parts.some((part) => openSignature(part) !== part)) return message;
  return { ...message, parts: message.parts.map(openSignature) };
}

function decodeReasoning(body: JsonObject): ReasoningRequest | undefined {
  const { thinking, output_config: config } = body;
  const named = isJsonObject(config) ? readEffort(config.effort) : undefined;
  const effort = named === undefined ? {} : { effort: named };
  if (!isJsonObject(thinking)) return named === undefined ? undefined : effort;
  const hidden = thinking.display === "omitted" ? { hidden: true } : {};
  switch (thinking.type) {
    case "disabled":
      return { effort: "none" };
    case "enabled": {
      const budgetTokens = numberField(thinking.budget_tokens);
      return { ...effort, ...(budgetTokens === undefined ? {} : { budgetTokens }), ...hidden };
    }
    default:
      return { effort: "medium", ...effort, ...hidden };
  }
}

function decodeFormat(body: JsonObject): ResponseFormat | undefined {
  const config = isJsonObject(body.output_config) ? body.output_config.format : undefined;
  const format = isJsonObject(config) ? config : body.output_format;
  if (!isJsonObject(format) || format.type !== "json_schema") return undefined;
  return { type: "json-schema", name: textField(format.name) ?? "response", schema: format.schema, strict: true };
}

/** Claude Code packs its session into `user_id`: as JSON today, behind `_session_` in earlier versions. */
function sessionOf(user: string): string | undefined {
  const marker = "_session_";
  const at = user.lastIndexOf(marker);
  if (at >= 0) return user.slice(at + marker.length);
  if (!user.startsWith("{")) return undefined;
  try {
    const parsed: unknown = JSON.parse(user);
    return isJsonObject(parsed) ? textField(parsed.session_id) : undefined;
  } catch {
    return undefined;
  }
}

const clearTrigger = 100_000;
const clearKeep = 3;
const compactTrigger = 150_000;

/** The edits a client asks for in `context_management`. Unknown ones are ignored: they must never fail a request. */
function decodeContextEdits(config: unknown): ContextEdit[] {
  const edits = isJsonObject(config) && Array.isArray(config.edits) ? config.edits : [];
  return edits.filter(isJsonObject).flatMap(decodeEdit);
}

function decodeEdit(edit: JsonObject): ContextEdit[] {
  const type = textField(edit.type) ?? "";
  if (type.startsWith("clear_tool_uses_")) return [decodeClearToolUses(edit)];
  if (type.startsWith("clear_thinking_")) return [{ type: "clear-thinking", keepTurns: keptTurns(edit.keep) }];
  if (!type.startsWith("compact_")) return [];
  const triggerTokens = amountOf(edit.trigger, "input_tokens") ?? compactTrigger;
  return [compact({ type: "compact" as const, triggerTokens, instructions: textField(edit.instructions) })];
}

function decodeClearToolUses(edit: JsonObject): ContextEdit {
  const triggerToolUses = amountOf(edit.trigger, "tool_uses");
  const inputs = edit.clear_tool_inputs;
  return compact({
    type: "clear-tool-uses" as const,
    triggerTokens: triggerToolUses === undefined ? (amountOf(edit.trigger, "input_tokens") ?? clearTrigger) : undefined,
    triggerToolUses,
    keepToolUses: amountOf(edit.keep, "tool_uses") ?? clearKeep,
    clearAtLeastTokens: amountOf(edit.clear_at_least, "input_tokens"),
    excludeTools: namesIn(edit.exclude_tools),
    clearInputs: Array.isArray(inputs) ? namesIn(inputs) : inputs === true,
  });
}

function keptTurns(keep: unknown): number | "all" {
  if (keep === "all" || (isJsonObject(keep) && keep.type === "all")) return "all";
  return amountOf(keep, "thinking_turns") ?? 1;
}

function amountOf(limit: unknown, type: string): number | undefined {
  return isJsonObject(limit) && limit.type === type ? numberField(limit.value) : undefined;
}

function namesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
}

/** A line some clients put first, for billing. It changes often and would spoil another provider's prompt cache. */
const billingHeader = "x-anthropic-billing-header:";

/** The `system` field as a message of the neutral model, or none. */
function decodeSystem(system: unknown): Message[] {
  if (typeof system === "string") {
    return system === "" ? [] : [{ role: "system", parts: [{ type: "text", text: system }] }];
  }
  if (!Array.isArray(system)) return [];
  const parts: Part[] = [];
  for (const block of system) {
    if (!isJsonObject(block)) continue;
    parts.push(
      typeof block.text === "string"
        ? { type: "text", text: block.text, source: block }
        : { type: "other", kind: String(block.type), value: block, source: block },
    );
  }
  return parts.length === 0 ? [] : [{ role: "system", parts }];
}

function withoutBillingHeader(system: readonly Message[]): Message[] {
  return system.map((message) => ({
    ...message,
    parts: message.parts.filter((part) => part.type !== "text" || !part.text.startsWith(billingHeader)),
  }));
}

function decodeToolChoice(choice: unknown): { toolChoice?: ToolChoice; parallelToolCalls?: boolean } {
  if (!isJsonObject(choice)) return {};
  const parallel = choice.disable_parallel_tool_use === true ? { parallelToolCalls: false } : {};
  switch (choice.type) {
    case "auto":
    case "none":
      return { toolChoice: { type: choice.type }, ...parallel };
    case "any":
      return { toolChoice: { type: "required" }, ...parallel };
    case "tool":
      return { toolChoice: { type: "tool", name: textField(choice.name) ?? "" }, ...parallel };
    default:
      return parallel;
  }
}
