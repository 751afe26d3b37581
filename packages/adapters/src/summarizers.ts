import type { SummarizeFunction, SummaryResult } from "@midfold/core";
import { MidfoldError } from "@midfold/core/light";

/*
 * Ready-made summarizers: plain async functions for the `summarizer` option of `fold` and of every adapter. Each takes what
 * its SDK calls a client or a model; none imports the SDK.
 */

/** OpenAI's client, as far as a summarizer needs it. */
export interface OpenaiClient {
  readonly chat: {
    readonly completions: {
      create(
        body: { model: string; messages: { role: "user"; content: string }[]; max_completion_tokens: number },
        options: { signal?: AbortSignal },
      ): PromiseLike<ChatAnswer>;
    };
  };
}

interface ChatAnswer {
  readonly choices: readonly {
    readonly finish_reason?: string | null;
    readonly message: { readonly content?: string | null };
  }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
}

/**
 * Summaries by a model behind OpenAI's client, or any client made with another `baseURL`.
 *
 * @example const client = withMidfold(new OpenAI(), { summarizer: openaiSummarizer(new OpenAI(), "gpt-4o-mini") });
 */
export function openaiSummarizer(client: OpenaiClient, model: string): SummarizeFunction {
  return async ({ prompt, maxTokens }, signal) => {
    const body = {
      model,
      messages: [{ role: "user" as const, content: prompt }],
      max_completion_tokens: room(maxTokens),
    };
    return ofChat(await client.chat.completions.create(body, signal === undefined ? {} : { signal }), model);
  };
}

/** Anthropic's client, as far as a summarizer needs it. */
export interface AnthropicClient {
  readonly messages: {
    create(
      body: { model: string; max_tokens: number; messages: { role: "user"; content: string }[] },
      options: { signal?: AbortSignal },
    ): PromiseLike<{
      readonly content: readonly { readonly type: string; readonly text?: string }[];
      readonly stop_reason?: string | null;
      readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
    }>;
  };
}

/**
 * Summaries by a Claude model.
 *
 * @example
 * const client = withMidfold(new Anthropic(), { summarizer: anthropicSummarizer(new Anthropic(), "claude-haiku-4-5") });
 */
export function anthropicSummarizer(client: AnthropicClient, model: string): SummarizeFunction {
  return async ({ prompt, maxTokens }, signal) => {
    const answer = await client.messages.create(
      { model, max_tokens: room(maxTokens), messages: [{ role: "user", content: prompt }] },
      signal === undefined ? {} : { signal },
    );
    const { usage } = answer;
    return {
      text: joinTexts(answer.content),
      finish: finishOf(answer.stop_reason),
      model,
      ...(usage === undefined ? {} : { usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens } }),
    };
  };
}

/** A language model of the AI SDK, as far as a summarizer needs it: `openai("gpt-4o-mini")`, a gateway's, one of your own. */
export interface AiSdkModel {
  readonly modelId: string;
  doGenerate(options: {
    prompt: { role: "user"; content: { type: "text"; text: string }[] }[];
    maxOutputTokens: number;
    abortSignal?: AbortSignal;
  }): PromiseLike<{
    readonly content: readonly { readonly type: string; readonly text?: string }[];
    readonly finishReason: string | { readonly unified: string };
  }>;
}

/**
 * Summaries by a language model of the AI SDK.
 *
 * @example const middleware = midfold({ preset: "chat", summarizer: aiSdkSummarizer(openai("gpt-4o-mini")) });
 */
export function aiSdkSummarizer(model: AiSdkModel): SummarizeFunction {
  return async ({ prompt, maxTokens }, signal) => {
    const { content, finishReason } = await model.doGenerate({
      prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }],
      maxOutputTokens: room(maxTokens),
      ...(signal === undefined ? {} : { abortSignal: signal }),
    });
    const reason = typeof finishReason === "string" ? finishReason : finishReason.unified;
    return { text: joinTexts(content), finish: finishOf(reason), model: model.modelId };
  };
}

export interface HttpSummarizerOptions {
  /** Of an OpenAI-compatible server, with its version: `http://localhost:11434/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

/**
 * Summaries by any server that speaks OpenAI's chat protocol, without an SDK.
 *
 * @example const summarizer = httpSummarizer({ baseUrl: "http://127.0.0.1:11434/v1", model: "qwen3:8b" });
 */
export function httpSummarizer(options: HttpSummarizerOptions): SummarizeFunction {
  const { baseUrl, model, apiKey, headers, fetch: send = fetch } = options;
  const url = `${baseUrl.replace(/\/+$/, "")}/chat/completions`;
  return async ({ prompt, maxTokens }, signal) => {
    const response = await send(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...headers,
      },
      body: JSON.stringify({ model, messages: [{ role: "user", content: prompt }], max_tokens: room(maxTokens) }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (!response.ok) {
      const words = (await response.text()).slice(0, 300);
      throw Object.assign(new Error(`${response.status} ${words || response.statusText}`), { status: response.status });
    }
    return ofChat((await response.json()) as ChatAnswer, model);
  };
}

/**
 * Models count tokens differently, and some think before they write: with too little room a summary would end in
 * mid-sentence.
 */
const room = (maxTokens: number) => Math.max(256, Math.ceil(maxTokens * 1.5));

function ofChat({ choices, usage }: ChatAnswer, model: string): SummaryResult {
  const choice = choices[0];
  if (choice === undefined) throw new MidfoldError("SUMMARY_FAILED", `${model} answered without a choice.`);
  return {
    text: choice.message.content ?? "",
    finish: finishOf(choice.finish_reason),
    model,
    ...(usage === undefined || usage === null
      ? {}
      : { usage: { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens } }),
  };
}

const finishes: Readonly<Record<string, SummaryResult["finish"]>> = {
  length: "cut-off",
  max_tokens: "cut-off",
  tool_calls: "tool-call",
  "tool-calls": "tool-call",
  tool_use: "tool-call",
  content_filter: "refused",
  "content-filter": "refused",
  refusal: "refused",
};

const finishOf = (reason: string | null | undefined): SummaryResult["finish"] => finishes[reason ?? ""] ?? "complete";

function joinTexts(blocks: readonly { readonly type: string; readonly text?: string }[]): string {
  return blocks.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("");
}
