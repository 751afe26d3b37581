import type { FailureText, Overflow, OverflowSize } from "./overflow.ts";
import { overflowExclusions, overflowPatterns } from "./overflow-patterns.ts";

const overflowCodes: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_max_prompt_tokens_exceeded",
  "context_window_exceeded",
]);
const longestText = 8_000;
/** What a proxy or a front end calls a body that is too large in bytes. */
const aboutBytes = /payload|entity too large|body|bytes|\b[MK]i?B\b|request_too_large|maximum size/i;

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
  // A 413 is about bytes unless it says otherwise: folding to a number of bytes would leave nothing of a conversation.
  if (failure.status === 413 && aboutBytes.test(message) && numbers?.limit === undefined) return undefined;
  if (numbers !== undefined) return { ...numbers, ...fields };
  return fields ?? twoNumbers(failure.status, message);
}

/** What a sentence must speak of, for its numbers to be sizes of a prompt. */
const aboutSize = /token|context|prompt|input|sequence|length|too (?:long|large)|exceed|truncat/i;
/** A limit on the answer alone is not about the conversation. */
const aboutAnswer = /max_(?:completion_|output_|new_)?tokens\W.{0,30}?(?:too large|cannot exceed|at most|>|less than)/i;
const smallestSize = 256;

/**
 * A refusal nobody has met before: a 4xx that speaks of sizes and names two of them, the smaller one the limit. Whether
 * the larger one is the request is for those to judge who know how large it was, hence `unconfirmed`.
 */
function twoNumbers(status: number | undefined, message: string): Overflow | undefined {
  if (status === undefined || status < 400 || status >= 500 || status === 413 || status === 429) return undefined;
  if (!aboutSize.test(message) || aboutAnswer.test(message)) return undefined;
  const found = message.match(/\d[\d,_]*(?![\w.-])/g) ?? [];
  const sizes = [...new Set(found.map((digits) => Number(digits.replaceAll(/[,_]/g, ""))))];
  const plausible = sizes.filter((size) => size >= smallestSize && size < 20_000_000);
  if (plausible.length !== 2) return undefined;
  const [a, b] = plausible as [number, number];
  return { limit: Math.min(a, b), input: Math.max(a, b), unconfirmed: true };
}

function numbersOf(message: string): Overflow | undefined {
  for (const { test, numbers } of overflowPatterns) {
    const match = test.exec(message);
    if (match === null) continue;
    const found: { -readonly [key in OverflowSize]?: number } = {};
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
