import type { JsonObject } from "./json.ts";

export interface OverflowSizes {
  readonly input: number;
  /** Output tokens asked for; 0 when not said. */
  readonly output: number;
  readonly window: number;
  readonly model: string;
}

/** How a provider reacts to a request that does not fit. */
export type OverflowReaction =
  | { readonly do: "refuse"; readonly status: number; readonly body: JsonObject }
  /** 200 and a stream that fails with this code (or, without a stream, a 400). */
  | { readonly do: "fail-stream"; readonly code: string; readonly message: string }
  /** Cuts the head of the conversation off and answers as if nothing had happened. */
  | { readonly do: "truncate" }
  /** 200 with no words at all. */
  | { readonly do: "say-nothing" };

interface Flavour {
  /** Whether the output asked for counts against the window. */
  readonly countsOutput: boolean;
  readonly react: (sizes: OverflowSizes) => OverflowReaction;
}

const openai = (message: string, code: string | null = "context_length_exceeded", status = 400): OverflowReaction => ({
  do: "refuse",
  status,
  body: { error: { message, type: "invalid_request_error", param: "messages", code } },
});
const anthropic = (message: string, type = "invalid_request_error", status = 400): OverflowReaction => ({
  do: "refuse",
  status,
  body: { type: "error", error: { type, message }, request_id: "req_sim" },
});
const plain = (body: JsonObject, status = 400): OverflowReaction => ({ do: "refuse", status, body });

type React = Flavour["react"];
const inputOnly = (react: React): Flavour => ({ countsOutput: false, react });
const inputAndOutput = (react: React): Flavour => ({ countsOutput: true, react });

/** The overflow errors of real providers and servers, in their words. */
export const overflowFlavours = {
  openai: inputOnly(({ input, window }) =>
    openai(
      `This model's maximum context length is ${window} tokens. However, your messages resulted in ${input} tokens. Please reduce the length of the messages.`,
    ),
  ),
  "openai-legacy": inputAndOutput(({ input, output, window }) =>
    openai(
      `This model's maximum context length is ${window} tokens. However, you requested ${input + output} tokens (${input} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`,
    ),
  ),
  "openai-responses": inputOnly(() => ({
    do: "fail-stream",
    code: "context_length_exceeded",
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  })),
  anthropic: inputOnly(({ input, window }) => anthropic(`prompt is too long: ${input} tokens > ${window} maximum`)),
  "anthropic-with-output": inputAndOutput(({ input, output, window }) =>
    input > window
      ? anthropic(`prompt is too long: ${input} tokens > ${window} maximum`)
      : anthropic(
          `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${window}, decrease input length or \`max_tokens\` and try again`,
        ),
  ),
  "anthropic-413": inputOnly(() => anthropic("Request exceeds the maximum size", "request_too_large", 413)),
  bedrock: inputOnly(() => plain({ __type: "ValidationException", message: "Input is too long for requested model." })),
  gemini: inputOnly(({ input, window }) =>
    plain({
      error: {
        code: 400,
        message: `The input token count (${input}) exceeds the maximum number of tokens allowed (${window}).`,
        status: "INVALID_ARGUMENT",
      },
    }),
  ),
  openrouter: inputAndOutput(({ input, output, window }) =>
    plain({
      error: {
        message: `This endpoint's maximum context length is ${window} tokens. However, you requested about ${input + output} tokens (${input} of text input, ${output} in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`,
        code: 400,
      },
    }),
  ),
  "openrouter-nested": inputOnly(({ input, window }) =>
    plain({
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          provider_name: "Sim",
          raw: JSON.stringify({
            error: {
              message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${input} tokens.`,
              code: "context_length_exceeded",
            },
          }),
        },
      },
    }),
  ),
  "openrouter-200": inputOnly(({ input, window }) =>
    plain(
      {
        error: {
          message: `This endpoint's maximum context length is ${window} tokens. However, you requested about ${input} tokens.`,
          code: 400,
        },
      },
      200,
    ),
  ),
  vllm: inputAndOutput(({ input, output, window }) =>
    input > window
      ? plain({
          object: "error",
          message: `This model's maximum context length is ${window} tokens. However, your request has ${input} input tokens. Please reduce the length of the input messages.`,
          type: "BadRequestError",
          param: "input_tokens",
          code: 400,
        })
      : plain({
          object: "error",
          message: `'max_tokens' or 'max_completion_tokens' is too large: ${output}. This model's maximum context length is ${window} tokens and your request has ${input} input tokens (${output} > ${window} - ${input}).`,
          type: "BadRequestError",
          param: "max_tokens",
          code: 400,
        }),
  ),
  sglang: inputOnly(({ input, window }) =>
    plain({
      object: "error",
      message: `The input (${input} tokens) is longer than the model's context length (${window} tokens).`,
      type: "BadRequestError",
      code: 400,
    }),
  ),
  "llama.cpp": inputOnly(({ input, window }) =>
    plain({
      error: {
        code: 400,
        message: `request (${input} tokens) exceeds the available context size (${window} tokens), try increasing it`,
        type: "exceed_context_size_error",
        n_prompt_tokens: input,
        n_ctx: window,
      },
    }),
  ),
  lmstudio: inputOnly(({ input, window }) =>
    plain({
      error: `Trying to keep the first ${input} tokens when context the overflows. However, the model is loaded with context length of only ${window} tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input`,
    }),
  ),
  "lmstudio-empty": inputOnly(() => ({ do: "say-nothing" })),
  ollama: inputOnly(() => ({ do: "truncate" })),
  mistral: inputOnly(({ input, window }) =>
    plain({
      object: "error",
      message: `Prompt contains ${input} tokens and 0 draft tokens, too large for model with ${window} maximum context length`,
      type: "invalid_request_error",
      code: 3051,
    }),
  ),
  groq: inputOnly(() => openai("Please reduce the length of the messages or completion.")),
  xai: inputOnly(({ input, window }) =>
    plain({
      code: "Client specified an invalid argument",
      error: `This model's maximum prompt length is ${window} but the request contains ${input} tokens.`,
    }),
  ),
  moonshot: inputOnly(({ input, window }) =>
    plain({
      error: {
        message: `Invalid request: Your request exceeded model token limit: ${window} (requested: ${input})`,
        type: "invalid_request_error",
      },
    }),
  ),
  copilot: inputOnly(({ input, window }) =>
    plain({
      error: {
        message: `prompt token count of ${input} exceeds the limit of ${window}`,
        code: "model_max_prompt_tokens_exceeded",
      },
    }),
  ),
  together: inputAndOutput(({ input, output, window }) =>
    plain(
      {
        error: {
          message: `Input validation error: \`inputs\` tokens + \`max_new_tokens\` must be <= ${window}. Given: ${input} \`inputs\` tokens and ${output} \`max_new_tokens\``,
          type: "invalid_request_error",
          param: null,
          code: null,
        },
      },
      422,
    ),
  ),
} as const satisfies Record<string, Flavour>;

export type OverflowFlavour = keyof typeof overflowFlavours;

/** How this provider reacts, or undefined when the request fits. */
export function reactToOverflow(flavour: OverflowFlavour, sizes: OverflowSizes): OverflowReaction | undefined {
  const { countsOutput, react }: Flavour = overflowFlavours[flavour];
  return sizes.input + (countsOutput ? sizes.output : 0) > sizes.window ? react(sizes) : undefined;
}
