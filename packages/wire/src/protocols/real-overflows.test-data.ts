// Whole error bodies as servers send them, from public reports of people who met them; the name says which server.

type Case = readonly [server: string, status: number, body: unknown, sizes: Readonly<Record<string, number>>];

export const error = (message: string, more: object = {}) => ({ error: { message, ...more } });

export const tooLong: readonly Case[] = [
  [
    "vLLM since 0.16",
    400,
    error(
      "You passed 1015 input tokens and requested 10 output tokens. However, the model's context length is only 1024 tokens, resulting in a maximum input length of 1014 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=1015)",
      { type: "BadRequestError", param: "input_tokens", code: 400 },
    ),
    { limit: 1024, input: 1015, output: 10 },
  ],
  [
    "vLLM with pictures",
    400,
    {
      object: "error",
      message:
        "The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.",
      code: 400,
    },
    { limit: 4096, input: 25938 },
  ],
  [
    "OpenAI's older completions, Azure and llama-cpp-python",
    400,
    error(
      "This model's maximum context length is 2048 tokens, however you requested 2285 tokens (2035 in your prompt; 250 for the completion). Please reduce your prompt; or completion length.",
    ),
    { limit: 2048, requested: 2285, input: 2035, output: 250 },
  ],
  [
    "SGLang, allowed length",
    400,
    { object: "error", message: "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens)." },
    { limit: 59862, input: 160062 },
  ],
  [
    "SGLang, sum",
    400,
    {
      object: "error",
      message:
        "Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a total of 202941 tokens: 170941 tokens from the input messages and 32000 tokens for the completion.",
    },
    { limit: 202752, requested: 202941, input: 170941, output: 32000 },
  ],
  [
    "Poolside through OpenRouter",
    400,
    error("Input length 131393 exceeds the maximum allowed input length of 131040 tokens."),
    { limit: 131040, input: 131393 },
  ],
  [
    "SiliconFlow",
    400,
    {
      code: 20015,
      message: "number of input tokens (204703) has exceeded max_prompt_tokens (202752) limit.",
      data: null,
    },
    { limit: 202752, input: 204703 },
  ],
  [
    "SiliconFlow, sequence",
    400,
    { code: 20015, message: "length of prompt_tokens (40001) must be less than max_seq_len (32768).", data: null },
    { limit: 32768, input: 40001 },
  ],
  [
    "oMLX",
    400,
    error("Prompt too long: 41911 tokens exceeds max context window of 32768 tokens"),
    { limit: 32768, input: 41911 },
  ],
  ["mlx-serve", 400, error("Prompt exceeds maximum context length"), {}],
  [
    "Ollama's cloud",
    400,
    { error: "prompt too long; exceeded max context length by 540451 tokens (ref: 00ad71bb)" },
    { excess: 540451 },
  ],
  [
    "GitHub Models",
    413,
    error("Request body too large for gpt-4.1 model. Max size: 8000 tokens.", { code: "tokens_limit_reached" }),
    { limit: 8000 },
  ],
  [
    "Bedrock's Nova",
    400,
    { message: "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input." },
    {},
  ],
  [
    "Bedrock through OpenRouter",
    400,
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: '{"message":"input length and `max_tokens` exceed context limit: 149674 + 64000 > 204658, decrease input length or `max_tokens` and try again"}',
          provider_name: "Amazon Bedrock",
        },
      },
      user_id: "user_1",
    },
    { limit: 204658, input: 149674, output: 64000 },
  ],
  [
    "Cohere",
    400,
    {
      message:
        "too many tokens: size limit exceeded by 12300 tokens. Try using shorter or fewer inputs. The limit for this model is 128000 tokens.",
    },
    { limit: 128000, excess: 12300 },
  ],
  [
    "Cohere, prompt",
    400,
    { message: "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000." },
    { limit: 4081, input: 5000 },
  ],
  [
    "Cohere, sum",
    400,
    {
      message: "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354.",
    },
    { limit: 2048, requested: 6354 },
  ],
  [
    "Gemini without its own count",
    400,
    [{ error: { code: 400, message: "The input token count exceeds the maximum number of tokens allowed 1048576." } }],
    { limit: 1048576 },
  ],
  [
    "Gemini's older API, which repeats the error as a list",
    400,
    {
      error: {
        code: 400,
        message: "The input token count (314175) exceeds the maximum number of tokens allowed (131072).",
        errors: [{ message: "The input token count (314175) exceeds it.", domain: "global", reason: "badRequest" }],
        status: "INVALID_ARGUMENT",
      },
    },
    { limit: 131072, input: 314175 },
  ],
  [
    "Vertex",
    400,
    error(
      "Unable to submit request because the input token count is 40000 but model only supports up to 32768. Reduce the input token count and try again.",
    ),
    { limit: 32768, input: 40000 },
  ],
  [
    "Doubao",
    400,
    error("Total tokens of image and text exceed max message tokens. Request id: 0217", { code: "InvalidParameter" }),
    {},
  ],
  [
    "Doubao, length",
    400,
    error("Input length 130123 exceeds the maximum length 98304. Request id: 0217abc"),
    { limit: 98304, input: 130123 },
  ],
  ["Zhipu in Chinese", 400, error("Prompt 超长", { code: "1261" }), {}],
  ["Hunyuan in Chinese", 400, error("输入长度超过模型上下文长度限制"), {}],
  [
    "Baidu",
    400,
    { error: { code: "prompt_tokens_too_long", message: "Prompt tokens too long", type: "invalid_request_error" } },
    {},
  ],
  [
    "MiniMax",
    400,
    { base_resp: { status_code: 2013, status_msg: "invalid params, context window exceeds limit (2013)" } },
    {},
  ],
  [
    "watsonx in its list",
    400,
    {
      errors: [
        {
          code: "invalid_input_argument",
          message: "the number of input tokens 9002 cannot exceed the total tokens limit 8192 for this model",
        },
      ],
      trace: "x",
      status_code: 400,
    },
    { limit: 8192, input: 9002 },
  ],
  [
    "Cloudflare in its list",
    413,
    {
      result: null,
      success: false,
      errors: [
        {
          code: 5021,
          message:
            "AiError: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (7968).",
        },
      ],
    },
    { limit: 7968, requested: 9000 },
  ],
  [
    "Databricks, an error in an error",
    400,
    {
      error_code: "BAD_REQUEST",
      message:
        'Bad request: json: {"error":{"message":"Input length 33000 exceeds the maximum allowed context length of 32768"}}',
    },
    { limit: 32768, input: 33000 },
  ],
  [
    "Databricks, short",
    400,
    { error_code: "BAD_REQUEST", message: '{"error":"Prompt too long, 40000 tokens. Max 32768 tokens."}\n' },
    { limit: 32768, input: 40000 },
  ],
  [
    "LM Studio, n_keep",
    400,
    {
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 15000>= n_ctx: 4096). Try to load the model with a larger context length.",
    },
    { limit: 4096, input: 15000 },
  ],
  [
    "Fireworks",
    400,
    error("The prompt is too long: 140000, model maximum context length: 131071", { object: "error" }),
    { limit: 131071, input: 140000 },
  ],
  [
    "TRT-LLM with fractions",
    400,
    {
      object: "error",
      message: "The sum of prompt length (9000.0), query length (0) should not exceed max_num_tokens (8192)",
    },
    { limit: 8192, input: 9000 },
  ],
  [
    "TRT-LLM, nothing left for the answer",
    400,
    {
      object: "error",
      message:
        "default_max_tokens (-808) must be greater than 0, `default_max_tokens` (-808) = max_seq_len (8192) - `splited_prompt_len` (9000) - `query_token_len` (0)",
    },
    { limit: 8192, input: 9000 },
  ],
  [
    "Triton",
    500,
    {
      error:
        "Encountered an error when fetching new request: Prompt length (5056) exceeds maximum input length (2048). Set log level to info",
    },
    { limit: 2048, input: 5056 },
  ],
  [
    "TabbyAPI, three deep",
    400,
    { detail: { error: { message: "Prompt length 71599 is greater than max_seq_len 65536", trace: null } } },
    { limit: 65536, input: 71599 },
  ],
  [
    "FastAPI's list",
    422,
    {
      detail: [
        { loc: ["body", "messages"], msg: "Prompt is too long: 9000 tokens, maximum 8192", type: "value_error" },
      ],
    },
    { limit: 8192, input: 9000 },
  ],
  [
    "AI21",
    422,
    { detail: "Prompt tokens (260001) exceed the maximum context length of 256000" },
    { limit: 256000, input: 260001 },
  ],
  [
    "SambaNova",
    400,
    {
      error:
        "Requested generation length 1024 is not possible! The provided prompt is 8000 tokens long, so generating 1024 tokens requires a sequence length of 9024, but the maximum supported sequence length is just 8192!",
    },
    { limit: 8192, input: 8000, output: 1024 },
  ],
  ["Snowflake", 400, { message: "max tokens of 200000 exceeded", request_id: "x" }, { limit: 200000 }],
  [
    "a server of the kind that names status and sentence apart",
    400,
    { statusCode: 400, error: "Bad Request", message: "prompt is too long: 9000 tokens > 8192 maximum" },
    { limit: 8192, input: 9000 },
  ],
  [
    "Claude on Vertex",
    413,
    { type: "error", error: { type: "invalid_request_error", message: "Prompt is too long" } },
    {},
  ],
];
