import { describe, expect, it } from "vitest";
import type { FailureText, Overflow } from "./detect-overflow.ts";
import { detectOverflow } from "./detect-overflow.ts";
import { overflowSentence } from "./overflow-sentence.ts";

const recognised: readonly (readonly [string, FailureText | string, Overflow])[] = [
  [
    "OpenAI chat",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130500 tokens (130000 in the messages, 500 in the functions). Please reduce the length of the messages or functions.",
    { limit: 128000, input: 130500 },
  ],
  [
    "OpenAI chat, older",
    "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens (1000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
    { limit: 4097, requested: 5000, input: 1000, output: 4000 },
  ],
  ["OpenAI code alone", { status: 400, code: "context_length_exceeded" }, {}],
  [
    "OpenAI Responses",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    {},
  ],
  ["OpenAI org limit", { status: 400, message: "input tokens exceed the configured limit of 272000 tokens" }, {}],
  ["Anthropic", "prompt is too long: 215000 tokens > 200000 maximum", { input: 215000, limit: 200000 }],
  [
    "Anthropic, sum",
    "input length and `max_tokens` exceed context limit: 180000 + 32000 > 200000, decrease input length or `max_tokens` and try again",
    { input: 180000, output: 32000, limit: 200000 },
  ],
  ["Bedrock", "Input is too long for requested model.", {}],
  ["Bedrock, tokens", "Too many input tokens", {}],
  [
    "Gemini",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    { input: 1200000, limit: 1048576 },
  ],
  [
    "OpenRouter",
    "This endpoint's maximum context length is 262144 tokens. However, you requested about 300000 tokens (250000 of text input, 10000 of tool input, 40000 in the output). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.",
    { limit: 262144, requested: 300000 },
  ],
  [
    "vLLM",
    "This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens. Please reduce the length of the input messages.",
    { limit: 32768, input: 40000 },
  ],
  [
    "vLLM, answer too large",
    "'max_tokens' or 'max_completion_tokens' is too large: 30000. This model's maximum context length is 32768 tokens and your request has 4000 input tokens (30000 > 32768 - 4000).",
    { output: 30000, limit: 32768, input: 4000 },
  ],
  [
    "vLLM, at least",
    "This model's maximum context length is 8192 tokens. However, you requested 4096 output tokens and your prompt contains at least 4097 input tokens, for a total of at least 8193 tokens.",
    { limit: 8192, output: 4096, input: 4097 },
  ],
  [
    "vLLM, engine",
    "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
    { input: 9000, limit: 8192 },
  ],
  [
    "SGLang",
    "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    { input: 9000, limit: 8192 },
  ],
  [
    "llama.cpp",
    {
      status: 400,
      code: "exceed_context_size_error",
      message: "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
      body: { error: { n_prompt_tokens: 9001, n_ctx: 8192 } },
    },
    { input: 9001, limit: 8192 },
  ],
  ["LM Studio", "The model is loaded with context length of only 4096 tokens, which is not enough.", { limit: 4096 }],
  ["LM Studio, n_keep", "Cannot truncate prompt with n_keep (9000) >= n_ctx (4096)", { input: 9000, limit: 4096 }],
  [
    "Mistral",
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    { input: 40000, limit: 32768 },
  ],
  ["Groq", { status: 413, message: "Please reduce the length of the messages or completion." }, {}],
  [
    "xAI",
    "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    { limit: 131072, input: 140000 },
  ],
  ["Moonshot", "Invalid request: Your request exceeded model token limit: 131072", {}],
  [
    "Moonshot with figures",
    "Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)",
    { limit: 131072, input: 140000 },
  ],
  ["llama-cpp-python", "Requested tokens (2285) exceed context window of 2048", { input: 2285, limit: 2048 }],
  [
    "LM Studio, keep",
    "Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    { input: 15857, limit: 4096 },
  ],
  ["LM Studio, reached", "Reached context length of 4096 tokens with model (arch: qwen3)", { limit: 4096 }],
  ["LM Studio, MLX", "Context size has been exceeded.", {}],
  [
    "LM Studio, initial prompt",
    "The number of tokens to keep from the initial prompt is greater than the context length.",
    {},
  ],
  ["Ollama", "the input length exceeds the context length", {}],
  ["Ollama, older", "input length exceeds maximum context length", {}],
  [
    "TGI",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`",
    { limit: 4096, input: 5000, output: 100 },
  ],
  ["TGI, input", "`inputs` must have less than 4095 tokens. Given: 5000", { limit: 4095, input: 5000 }],
  ["TRT-LLM", "Prompt length (5056) exceeds maximum sequence length (2048)", { input: 5056, limit: 2048 }],
  [
    "TRT-LLM, sum",
    "The sum of prompt length (9000), query length (0) and max_tokens (512) should not exceed max_seq_len (8192)",
    { input: 9000, output: 512, limit: 8192 },
  ],
  [
    "TabbyAPI",
    "Request length 71599 + 2048 is greater than max_seq_len 65536",
    { input: 71599, output: 2048, limit: 65536 },
  ],
  [
    "Cloudflare",
    "Requested token count exceeds the model's maximum context length of 256000 tokens. You requested a total of 256878 tokens: 31216 tokens from the input messages and 225662 tokens for the completion.",
    { limit: 256000, requested: 256878, input: 31216, output: 225662 },
  ],
  [
    "Cloudflare, estimated",
    "The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (7968).",
    { requested: 9000, limit: 7968 },
  ],
  [
    "watsonx",
    "the number of input tokens 9002 cannot exceed the total tokens limit 8192 for this model",
    { input: 9002, limit: 8192 },
  ],
  [
    "Databricks",
    "Bad request: rpc error: code = InvalidArgument desc = prompt token count (140000) cannot exceed 131072. Please reduce the length of the prompt.",
    { input: 140000, limit: 131072 },
  ],
  [
    "a server nobody has met",
    "Sequence of 9001 positions does not fit, at most 8192 supported by this context",
    { input: 9001, limit: 8192, unconfirmed: true },
  ],
  ["MiniMax", "invalid params, context window exceeds limit", {}],
  ["Cerebras", "Current length is 9000 while limit is 8192", { input: 9000, limit: 8192 }],
  [
    "Copilot",
    { code: "model_max_prompt_tokens_exceeded", message: "prompt token count of 90000 exceeds the limit of 64000" },
    { input: 90000, limit: 64000 },
  ],
  [
    "Hugging Face",
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 and 100",
    {
      limit: 4096,
      input: 5000,
      output: 100,
    },
  ],
  ["DashScope", "Range of input length should be [1, 30720]", { limit: 30720 }],
  ["numbers with commas", "prompt is too long: 215,000 tokens > 200,000 maximum", { input: 215000, limit: 200000 }],
];

const others: readonly (readonly [string, FailureText])[] = [
  [
    "a rate limit in tokens",
    { status: 429, message: "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000" },
  ],
  ["a rate limit that says 400", { status: 400, message: "Rate limit reached: too many tokens" }],
  ["throttling", { status: 400, message: "Throttling: too many tokens, slow down" }],
  [
    "one long string",
    {
      status: 400,
      code: "string_above_max_length",
      message: "Invalid 'messages[0].content': string too long. Expected a string with maximum length 1048576",
    },
  ],
  ["a blocked prompt", { status: 400, message: "policy_blocked: prompt is too long to scan" }],
  ["an invalid field", { status: 400, message: "max_tokens must be at least 1" }],
  ["a body too large in bytes", { status: 413, message: "Request Entity Too Large" }],
  [
    "Anthropic's limit in bytes",
    { status: 413, code: "request_too_large", message: "Request exceeds the maximum size" },
  ],
  ["a limit in bytes with figures", { status: 413, message: "Body of 1572864 bytes is larger than 1048576 bytes" }],
  ["a payload limit", { status: 400, message: "Request payload size exceeds the limit" }],
  ["a limit on the answer alone", { status: 400, message: "max_tokens (10000) cannot exceed 8192." }],
  ["a server failure", { status: 500, message: "internal error" }],
  ["nothing", {}],
];

describe("overflow", () => {
  it.each(recognised)("recognises %s", (_, failure, expected) => {
    expect(detectOverflow(typeof failure === "string" ? { status: 400, message: failure } : failure)).toEqual(expected);
  });

  it.each(others)("does not take %s for an overflow", (_, failure) => {
    expect(detectOverflow(failure)).toBeUndefined();
  });

  it("recognises every sentence it emits itself", () => {
    const tooLong = { limit: 1000, input: 1200 };
    const tooMuch = { limit: 1000, input: 900, output: 200 };
    expect(detectOverflow({ message: overflowSentence.anthropic(tooLong) })).toEqual(tooLong);
    expect(detectOverflow({ message: overflowSentence.anthropic(tooMuch) })).toEqual(tooMuch);
    expect(detectOverflow({ message: overflowSentence.openaiChat(tooLong) })).toEqual(tooLong);
    expect(detectOverflow({ message: overflowSentence.openaiChat(tooMuch) })).toEqual({ ...tooMuch, requested: 1100 });
    expect(detectOverflow({ message: overflowSentence.openaiResponses() })).toEqual({});
  });

  it("stays quick on a hostile message", () => {
    expect(detectOverflow({ message: "maximum context length is 1 tokens ".repeat(50_000) })).toBeDefined();
  });
});
