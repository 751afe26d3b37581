import { isSealedThought } from "../../generate/sign-thought.ts";
import { asText, type JsonObject } from "../json.ts";
import { firstProblem, invalid, type Problem } from "../problem.ts";
import type { Memory } from "../protocol.ts";
import { itemTypes } from "./known-fields.ts";
import { itemType } from "./resolve-items.ts";

/** Every call has its output and every output its call, somewhere before it; reasoning stays with what it led to. */
export function validatePairs(items: readonly JsonObject[], memory: Memory): Problem | undefined {
  return firstProblem(
    () => validateCalls(items),
    () => validateReasoning(items),
    () => validateLostReasoning(items, memory),
  );
}

function validateCalls(items: readonly JsonObject[]): Problem | undefined {
  const open = new Set<string>();
  const answered = new Set<string>();
  for (const item of items) {
    const { call, output } = itemTypes.get(itemType(item)) ?? {};
    const id = asText(item.call_id);
    if (call === true) {
      if (open.has(id) || answered.has(id))
        return invalid(`Duplicate call_id '${id}' found in input.`, { param: "input" });
      open.add(id);
    }
    if (output !== true) continue;
    if (answered.has(id)) return invalid(`Duplicate output found for call_id '${id}'.`, { param: "input" });
    if (!open.delete(id)) {
      return invalid(`No tool call found for ${callName(item)} output with call_id ${id}.`, { param: "input" });
    }
    answered.add(id);
  }
  const [first] = open;
  return first === undefined
    ? undefined
    : invalid(`No tool output found for function call ${first}.`, { param: "input" });
}

const callName = (item: JsonObject): string =>
  itemType(item) === "custom_tool_call_output" ? "custom tool call" : "function call";

function validateReasoning(items: readonly JsonObject[]): Problem | undefined {
  for (const [index, item] of items.entries()) {
    if (itemType(item) !== "reasoning") continue;
    const sealed = item.encrypted_content;
    if (typeof sealed !== "string") {
      return invalid(
        `Item with id '${asText(item.id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
        { param: "input" },
      );
    }
    if (!isSealedThought(sealed)) {
      return invalid(
        `The encrypted content ${sealed.slice(0, 4)}... could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
        { code: "invalid_encrypted_content" },
      );
    }
    const next = items.slice(index + 1).find((later) => itemType(later) !== "reasoning");
    const follows = next !== undefined && (itemType(next) !== "message" || next.role === "assistant");
    const isOutput = next !== undefined && itemTypes.get(itemType(next))?.output === true;
    if (!follows || isOutput) {
      return invalid(
        `Item '${asText(item.id)}' of type 'reasoning' was provided without its required following item.`,
        {
          param: "input",
        },
      );
    }
  }
  return undefined;
}

/** A call that is sent back under its own id needs the reasoning that it came with. */
function validateLostReasoning(items: readonly JsonObject[], memory: Memory): Problem | undefined {
  const present = new Set(items.map((item) => asText(item.id)));
  for (const item of items) {
    if (itemType(item) !== "function_call" || typeof item.id !== "string") continue;
    const needed = memory.thoughtsByCall.get(asText(item.call_id)) ?? [];
    const lost = needed.find((id) => !present.has(id));
    if (lost !== undefined) {
      return invalid(
        `Item '${item.id}' of type 'function_call' was provided without its required 'reasoning' item: '${lost}'.`,
        { param: "input" },
      );
    }
  }
  return undefined;
}
