import { formats, type Message } from "@midfold/core";
import { compact, isJsonObject, type JsonObject, numberField, textField } from "../../neutral/json-object.ts";
import type { ContextEdit, NeutralRequest, ReasoningRequest, ResponseFormat } from "../../neutral/neutral-request.ts";
import { splitLeadingSystem } from "../../translate/place-system-turns.ts";
import { decodeTools } from "../decode-tools.ts";
import { readBody, readList, readModel, readStops, unknownFields } from "../read-body.ts";
import { readEffort } from "../read-effort.ts";
import { decodeSystem, withoutBillingHeader } from "./decode-system.ts";
import { decodeToolChoice } from "./decode-tool-choice.ts";
import { openSignature } from "./synthetic-signature.ts";

const known: ReadonlySet<string> = new Set([
  ...["model", "messages", "system", "tools", "tool_choice", "max_tokens", "temperature", "top_p", "top_k"],
  ...["stop_sequences", "stream", "thinking", "output_config", "output_format", "metadata", "context_management"],
  "cache_control",
]);

export function decodeRequest(raw: unknown): NeutralRequest {
  const body = readBody(raw);
  const messages = formats["anthropic-messages"].decode(readList(body, "messages"));
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
export function sessionOf(user: string): string | undefined {
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
