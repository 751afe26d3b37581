import { isSealedThought, signThought } from "../../generate/sign-thought.ts";
import { asArray, asText, isObject, type JsonObject } from "../json.ts";
import { invalid, type Problem, problemIn } from "../problem.ts";
import type { RequestView } from "../protocol.ts";
import { contentBlocks } from "./validate-messages.ts";

/** Reasoning must come back as it was sent: signed text unchanged, and not missing from a tool loop that is under way. */
export function validateThinking({ body, memory, purpose }: RequestView): Problem | undefined {
  const messages = asArray(body.messages).filter(isObject);
  const forged = problemIn(messages, (message, index) =>
    problemIn(contentBlocks(message), (block, place) => checkSignature(block, `messages.${index}.content.${place}`)),
  );
  if (forged !== undefined) return forged;
  const thinking = isObject(body.thinking) ? body.thinking : {};
  if (thinking.type !== "enabled" && thinking.type !== "adaptive") return undefined;
  if (thinking.type === "enabled" && purpose !== "count") {
    const problem = checkBudget(thinking.budget_tokens, body.max_tokens);
    if (problem !== undefined) return problem;
  }
  return checkLoop(messages, memory.thoughtsByCall, thinking.type === "enabled");
}

function checkSignature(block: JsonObject, at: string): Problem | undefined {
  if (block.type === "thinking" && signThought(asText(block.thinking)) !== block.signature) {
    return invalid(`${at}: Invalid \`signature\` in \`thinking\` block`);
  }
  if (block.type === "redacted_thinking" && !isSealedThought(asText(block.data))) {
    return invalid(`${at}: Invalid \`data\` in \`redacted_thinking\` block`);
  }
  return undefined;
}

function checkBudget(budget: unknown, maxTokens: unknown): Problem | undefined {
  if (typeof budget !== "number" || budget < 1_024) {
    return invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
  }
  if (typeof maxTokens === "number" && maxTokens > budget) return undefined;
  return invalid("`max_tokens` must be greater than `thinking.budget_tokens`.");
}

/** While results are being returned, the assistant message they answer must still carry the reasoning it came with. */
function checkLoop(
  messages: readonly JsonObject[],
  thoughtsByCall: ReadonlyMap<string, readonly string[]>,
  mustThink: boolean,
): Problem | undefined {
  const index = messages.findLastIndex((message) => message.role === "assistant");
  const latest = messages[index];
  if (latest === undefined) return undefined;
  const content = contentBlocks(latest);
  const calls = content.filter((block) => block.type === "tool_use");
  const [first] = content;
  const thinks = first?.type === "thinking" || first?.type === "redacted_thinking";
  const present = new Set(content.map((block) => asText(block.signature) || asText(block.data)));
  for (const call of calls) {
    const expected = thoughtsByCall.get(asText(call.id)) ?? [];
    if (!expected.every((mark) => present.has(mark))) {
      return invalid(
        `messages.${index}.content.0: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
      );
    }
  }
  if (!mustThink || calls.length === 0 || thinks) return undefined;
  return invalid(
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${asText(first?.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}
