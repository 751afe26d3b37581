import { type OverflowSize, overflowExclusions, overflowPatterns } from "./overflow-patterns.ts";

const overflowCodes: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_max_prompt_tokens_exceeded",
  "context_window_exceeded",
  "model_context_window_exceeded",
  "tokens_limit_reached",
]);
/** Keys, credit, permissions, unknown models and rates: figures in their words are not sizes of a window. */
const neverOverflow: ReadonlySet<number> = new Set([401, 402, 403, 404, 429]);
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
  if (neverOverflow.has(failure.status ?? 0) || overflowExclusions.some((exclusion) => exclusion.test(message)))
    return undefined;
  const numbers = numbersOf(message);
  // A 413 is about bytes unless it says otherwise: folding to a number of bytes would leave nothing of a conversation.
  if (failure.status === 413 && aboutBytes.test(message) && numbers?.limit === undefined) return undefined;
  if (numbers !== undefined) return { ...numbers, ...fields };
  return fields ?? twoNumbers(failure.status, message);
}

/** What a sentence must speak of, for its numbers to be sizes of a prompt. */
const aboutSize = /token|context|prompt|input|sequence|length|too (?:long|large)|exceed|truncat/i;
/** A limit on the answer alone, or on its thinking, is not about the conversation. */
const aboutAnswer =
  /max_(?:completion_|output_|new_)?tokens\W.{0,30}?(?:too large|cannot exceed|at most|>|less than)|budget_tokens/i;
const namesAnswer = /max_(?:completion_|output_|new_)?tokens|maxOutputTokens/i;
const namesInput = /prompt|\binputs?\b|context|messages/i;
/** Sizes of other things: files, pictures, lists, and texts measured in characters; a minimum is no limit either. */
const aboutOthers = /\bbytes\b|\b[MK]i?B\b|\bcharacters\b|\bpixels\b|\barray\b|schema|minimum|too small/i;
const smallestSize = 256;

/**
 * A refusal nobody has met before: a 4xx that speaks of sizes and names two of them, the smaller one the limit. Whether
 * the larger one is the request is for those to judge who know how large it was, hence `unconfirmed`.
 */
function twoNumbers(status: number | undefined, message: string): Overflow | undefined {
  if (status === undefined || status < 400 || status >= 500 || status === 413) return undefined;
  if (!aboutSize.test(message) || aboutAnswer.test(message) || aboutOthers.test(message)) return undefined;
  if (namesAnswer.test(message) && !namesInput.test(message)) return undefined;
  // A full stop behind a number may end the sentence; only one with more behind it is part of a version or a fraction.
  const found = message.match(/\d[\d,_]*(?![\w-]|\.\w)/g) ?? [];
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
  const details = "error" in body && typeof body.error === "object" && body.error !== null ? body.error : body;
  if (!("n_ctx" in details) || typeof details.n_ctx !== "number") return undefined;
  const input = "n_prompt_tokens" in details ? details.n_prompt_tokens : undefined;
  return { limit: details.n_ctx, ...(typeof input === "number" ? { input } : {}) };
}

/** What an upstream told about a conversation that does not fit. Numbers are missing where it named none. */
export interface Overflow {
  /** Tokens the model's window holds. */
  readonly limit?: number;
  /** Tokens of the prompt. */
  readonly input?: number;
  /** Tokens of the answer that were asked for. */
  readonly output?: number;
  /** Tokens that were asked for in all, where the upstream counts prompt and answer together. */
  readonly requested?: number;
  /** By how many tokens it is too long, where that is all it says. */
  readonly excess?: number;
  /** No known sentence: two numbers that may be sizes. Believed only when one is near what was sent. */
  readonly unconfirmed?: true;
}

/** What is known of a failed request, however little. */
export interface FailureText {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** The parsed body, for servers that put numbers into fields of their own. */
  readonly body?: unknown;
}
