/** What Chat Completions defines at the top level; everything else is an "unrecognized request argument". */
export const requestFields: ReadonlySet<string> = new Set([
  "messages",
  "model",
  "audio",
  "frequency_penalty",
  "function_call",
  "functions",
  "logit_bias",
  "logprobs",
  "max_completion_tokens",
  "max_tokens",
  "metadata",
  "modalities",
  "n",
  "parallel_tool_calls",
  "prediction",
  "presence_penalty",
  "prompt_cache_key",
  "prompt_cache_retention",
  "reasoning_effort",
  "response_format",
  "safety_identifier",
  "seed",
  "service_tier",
  "stop",
  "store",
  "stream",
  "stream_options",
  "temperature",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "user",
  "verbosity",
  "web_search_options",
]);

const fields = (...names: readonly string[]): ReadonlySet<string> => new Set(["role", "content", "name", ...names]);

export const messageFields: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["system", fields()],
  ["developer", fields()],
  ["user", fields()],
  ["assistant", fields("tool_calls", "refusal", "audio", "function_call", "annotations")],
  ["tool", fields("tool_call_id")],
  ["function", fields()],
]);

/** Content parts by role. */
export const partTypes: ReadonlyMap<string, readonly string[]> = new Map([
  ["system", ["text"]],
  ["developer", ["text"]],
  ["user", ["text", "image_url", "input_audio", "file"]],
  ["assistant", ["text", "refusal"]],
  ["tool", ["text"]],
  ["function", ["text"]],
]);
