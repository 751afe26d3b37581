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

/** A sentence by which a server says that a prompt does not fit, and which of its numbers means what. */
interface OverflowPattern {
  readonly from: string;
  readonly test: RegExp;
  readonly numbers?: readonly OverflowSize[];
}

const n = "([\\d,]+)";
const pattern = (from: string, source: string, ...numbers: OverflowSize[]): OverflowPattern => ({
  from,
  test: new RegExp(source, "i"),
  numbers,
});

/** Tried in order: the sentences that carry numbers stand before the ones that do not. */
const overflowPatterns: readonly OverflowPattern[] = [
  pattern("anthropic", `prompt is too long:\\s*${n} tokens\\s*>\\s*${n} maximum`, "input", "limit"),
  pattern("anthropic", `exceed context limit:\\s*${n}\\s*\\+\\s*${n}\\s*>\\s*${n}`, "input", "output", "limit"),
  pattern(
    "vllm",
    `is too large:\\s*${n}\\.\\s*This model's maximum context length is ${n} tokens and your request has ${n} input tokens`,
    "output",
    "limit",
    "input",
  ),
  pattern(
    "vllm",
    `maximum context length (?:is|of) ${n} tokens.{0,80}?requested ${n} output tokens.{0,80}?prompt contains at least ${n}`,
    "limit",
    "output",
    "input",
  ),
  pattern(
    "openai",
    `maximum context length (?:is|of) ${n} tokens.{0,80}?requested (?:about )?${n} tokens \\(${n} in the messages[^)]*?${n} in the completion`,
    "limit",
    "requested",
    "input",
    "output",
  ),
  pattern(
    "openrouter",
    `maximum context length (?:is|of) ${n} tokens.{0,80}?requested (?:about )?${n} tokens`,
    "limit",
    "requested",
  ),
  pattern("openai", `maximum context length (?:is|of) ${n} tokens.{0,80}?resulted in ${n} tokens`, "limit", "input"),
  pattern("vllm", `maximum context length (?:is|of) ${n} tokens.{0,80}?has ${n} input tokens`, "limit", "input"),
  pattern(
    "gemini",
    `input token count \\(?${n}\\)? exceeds the maximum number of tokens allowed \\(?${n}`,
    "input",
    "limit",
  ),
  pattern("sglang", `input \\(${n} tokens\\) is longer than the model's context length \\(${n}`, "input", "limit"),
  pattern("llama.cpp", `request \\(${n} tokens\\) exceeds the available context size \\(${n}`, "input", "limit"),
  pattern("llama-cpp-python", `requested tokens \\(${n}\\) exceed context window of ${n}`, "input", "limit"),
  pattern("lmstudio", `keep the first ${n} tokens.{0,120}?context length of only ${n}`, "input", "limit"),
  pattern("lmstudio", `loaded with context length of only ${n}`, "limit"),
  pattern("lmstudio", `reached context length of ${n} tokens`, "limit"),
  pattern(
    "tgi",
    `\`inputs\` tokens \\+ \`max_new_tokens\` must be <= ${n}\\. Given: ${n}(?: \`inputs\` tokens)? and ${n}`,
    "limit",
    "input",
    "output",
  ),
  pattern("tgi", `\`inputs\` must have less than ${n} tokens\\. Given: ${n}`, "limit", "input"),
  pattern("trt-llm", `prompt length \\(${n}\\) exceeds maximum (?:sequence|input) length \\(${n}\\)`, "input", "limit"),
  pattern(
    "trt-llm",
    `prompt length \\(${n}\\).{0,60}?max_tokens \\(${n}\\).{0,20}?should not exceed max_(?:seq_len|num_tokens) \\(${n}\\)`,
    "input",
    "output",
    "limit",
  ),
  pattern(
    "trt-llm",
    `prompt length \\(${n}\\).{0,60}?should not exceed max_(?:seq_len|num_tokens) \\(${n}\\)`,
    "input",
    "limit",
  ),
  pattern(
    "tabbyapi",
    `(?:request|prompt|context) length ${n}(?: \\+ ${n})? is greater than max_seq_len ${n}`,
    "input",
    "output",
    "limit",
  ),
  pattern(
    "cloudflare",
    `maximum context length of ${n} tokens\\. You requested a total of ${n} tokens: ${n} tokens from the input messages and ${n}`,
    "limit",
    "requested",
    "input",
    "output",
  ),
  pattern(
    "cloudflare",
    `input and maximum output tokens \\(${n}\\) exceeded this model context window limit \\(${n}\\)`,
    "requested",
    "limit",
  ),
  pattern("watsonx", `number of input tokens ${n} cannot exceed the total tokens limit ${n}`, "input", "limit"),
  pattern("databricks", `(?:prompt|input) token count \\(?${n}\\)? cannot exceed ${n}`, "input", "limit"),
  pattern("vllm", `prompt \\(length ${n}\\) is longer than the maximum model length of ${n}`, "input", "limit"),
  pattern("lmstudio", `n_keep \\(?:? ?${n}\\)? ?>= n_ctx \\(?:? ?${n}`, "input", "limit"),
  pattern("mistral", `prompt contains ${n} tokens.{0,120}?${n} maximum context length`, "input", "limit"),
  pattern("copilot", `prompt token count of ${n} exceeds the limit of ${n}`, "input", "limit"),
  pattern("minimax", `current length is ${n} while limit is ${n}`, "input", "limit"),
  pattern("xai", `maximum prompt length is ${n}(?:.{0,80}?contains ${n})?`, "limit", "input"),
  pattern("generic", `but model only supports up to ${n}`, "limit"),
  pattern("openai", `maximum context length (?:is|of) ${n}`, "limit"),
  pattern("gemini", `cannot truncate to ${n}[^\\d]*required ${n}`, "limit", "input"),
  pattern("huggingface", `\`inputs\` tokens \\+ \`max_new_tokens\` must be <= ${n}`, "limit"),
  pattern("huggingface", "`inputs` tokens \\+ `max_new_tokens` must be"),
  pattern("dashscope", `range of input length should be \\[\\d+, ?${n}\\]`, "limit"),
  pattern("dashscope", "range of input length should be"),
  pattern("openai", "exceeds the context window|context window of this model"),
  pattern("openai", "maximum context length|context[_ ]length[_ ]exceeded|contextwindowexceeded"),
  pattern("openai", "input tokens exceed the configured limit"),
  pattern("anthropic", "prompt is too long|exceed context limit"),
  pattern("bedrock", "input is too long for requested model|too many input tokens|\\btoo many tokens\\b"),
  pattern("vllm", "longer than the maximum model length|longer than the model's context length"),
  pattern("llama.cpp", "exceeds the available context size|exceed_context_size"),
  pattern("gemini", "exceeds the maximum number of tokens allowed"),
  pattern("groq", "reduce the length of (?:the |your )?(?:messages|prompt|input)"),
  pattern("moonshot", `exceeded model token limit: ${n} \\(requested: ${n}`, "limit", "input"),
  pattern("moonshot", "exceeded model token limit|input token length too long"),
  pattern("ollama", "input length exceeds (?:the )?(?:maximum )?context length"),
  pattern("llama-cpp-python", "exceed context window of"),
  pattern("lmstudio", "tokens to keep from the initial prompt is greater than the context length"),
  pattern("lmstudio", "context size has been exceeded|mid-generation context overflow"),
  pattern("tabbyapi", "greater than max_seq_len"),
  pattern("minimax", "context window exceeds limit"),
  pattern("copilot", "model_max_prompt_tokens_exceeded|context exceeds your deployment"),
  pattern("generic", "maximum context limit|prompt exceeds max length|tokens in request more than max tokens allowed"),
  pattern(
    "generic",
    "maximum prompt length|larger than the (?:model'?s )?context|context (?:window|length|size) (?:is )?(?:exceeded|too small)",
  ),
];

/** Sentences that speak of lengths and tokens and mean something else: rates, policies, single fields. */
const overflowExclusions: readonly RegExp[] = [
  /rate.?limit|too many requests|^throttling|tokens per (?:min|day)|per.?minute|\btpm\b|quota/i,
  /policy_blocked|dlp_request_denied/i,
  /string_above_max_length|string too long|expected maxlength/i,
];

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
  /** No known sentence: two numbers that may be sizes. Believed only when one is near what was sent. */
  readonly unconfirmed?: true;
}

/** The fields of an overflow that are sizes. */
type OverflowSize = "limit" | "input" | "output" | "requested";

/** What is known of a failed request, however little. */
export interface FailureText {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** The parsed body, for servers that put numbers into fields of their own. */
  readonly body?: unknown;
}
