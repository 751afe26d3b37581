import type { FailureText, Overflow } from "./overflow.ts";
import { overflowExclusions, overflowPatterns } from "./overflow-patterns.ts";

const overflowCodes: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_max_prompt_tokens_exceeded",
  "context_window_exceeded",
  "request_too_large",
]);
const longestText = 8_000;

/**
 * Whether a failed request failed because the conversation does not fit, and what the upstream said about sizes.
 * Rate limits are never overflow, whatever their words: only what the sentence is about counts.
 */
export function detectOverflow(failure: FailureText): Overflow | undefined {
  const message = (failure.message ?? "").slice(0, longestText);
  const fields = numbersIn(failure.body);
  if (failure.code !== undefined && overflowCodes.has(failure.code)) return { ...numbersOf(message), ...fields };
  if (failure.status === 429 || overflowExclusions.some((exclusion) => exclusion.test(message))) return undefined;
  const numbers = numbersOf(message);
  if (numbers !== undefined) return { ...numbers, ...fields };
  if (fields !== undefined) return fields;
  return failure.status === 413 ? {} : undefined;
}

function numbersOf(message: string): Overflow | undefined {
  for (const { test, numbers } of overflowPatterns) {
    const match = test.exec(message);
    if (match === null) continue;
    const found: { -readonly [key in keyof Overflow]: number } = {};
    for (const [index, name] of (numbers ?? []).entries()) {
      const digits = match[index + 1]?.replaceAll(",", "");
      if (digits !== undefined && digits !== "") found[name] = Number(digits);
    }
    return found;
  }
  return undefined;
}

/** llama.cpp reports the sizes in fields beside the message. */
function numbersIn(body: unknown): Overflow | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const holder = "error" in body && typeof body.error === "object" && body.error !== null ? body.error : body;
  if (!("n_ctx" in holder) || typeof holder.n_ctx !== "number") return undefined;
  const input = "n_prompt_tokens" in holder ? holder.n_prompt_tokens : undefined;
  return { limit: holder.n_ctx, ...(typeof input === "number" ? { input } : {}) };
}
