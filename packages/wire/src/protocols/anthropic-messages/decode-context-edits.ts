import { compact, isJsonObject, type JsonObject, numberField, textField } from "../json-object.ts";
import type { ContextEdit } from "../neutral-request.ts";

const clearTrigger = 100_000;
const clearKeep = 3;
const compactTrigger = 150_000;

/** The edits a client asks for in `context_management`. Unknown ones are ignored: they must never fail a request. */
export function decodeContextEdits(config: unknown): ContextEdit[] {
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
