import {
  isMidfoldError,
  MidfoldError,
  type Part,
  resolveModel,
  type Summarizer,
  type SummaryRequest,
  type SummaryResult,
} from "@midfold/core";
import type { NeutralRequest, ReasoningRequest } from "../neutral/neutral-request.ts";
import type { FinishReason, NeutralResponse } from "../neutral/neutral-response.ts";
import type { Protocol } from "../neutral/protocol.ts";
import type { UpstreamTraits } from "../neutral/upstream-traits.ts";
import { protocolPaths } from "../upstream/protocol-paths.ts";
import { readText, redactSecrets } from "../upstream/read-text.ts";
import type { Upstream, UpstreamResponse } from "../upstream/upstream.ts";
import type { UpstreamClient } from "../upstream/upstream-client.ts";

export interface ModelSummarizerOptions {
  readonly client: UpstreamClient;
  readonly upstream: Upstream;
  readonly protocol: Protocol;
  readonly traits: UpstreamTraits;
  /**
   * The models to ask, the preferred one first. The next is asked only when the upstream does not have the one before,
   * so that a small model which was withdrawn does not end all summaries.
   */
  readonly models: readonly [string, ...string[]];
  /** For one call. A summary nobody waits for may take longer than one a person waits for. */
  readonly timeoutMs?: number;
  /** Absent: models that think unasked are told to think little, others are not told anything, since they may refuse. */
  readonly reasoning?: ReasoningRequest;
}

const defaultTimeoutMs = 60_000;
/** What a model that thinks may spend on it before it writes; otherwise the thinking would eat the summary's limit. */
const thinkingTokens = 4_096;
/** A summary is short; an answer beyond this is no summary. */
const maxAnswerBytes = 4 * 1024 * 1024;

/** A summarizer that asks a model: one user turn, no tools, no thinking, no stream. */
export function createModelSummarizer(options: ModelSummarizerOptions): Summarizer {
  const { upstream, models } = options;
  return {
    name: `${upstream.name}/${models[0]}`,
    async summarize(request, signal) {
      const asked = request.model === undefined ? models : [request.model, ...models];
      for (let index = 0; ; index++) {
        const model = asked[index] as string;
        try {
          return await summarizeWith(model, request, options, signal);
        } catch (error) {
          if (!isUnknownModel(error) || index + 1 >= asked.length) throw error;
        }
      }
    },
  };
}

async function summarizeWith(
  model: string,
  request: SummaryRequest,
  options: ModelSummarizerOptions,
  signal: AbortSignal | undefined,
): Promise<SummaryResult> {
  const { client, upstream, protocol, traits, timeoutMs = defaultTimeoutMs } = options;
  const { body } = protocol.encodeRequest(toNeutral(model, request, options.reasoning), traits);
  const response = await client.send(upstream, {
    path: protocolPaths[protocol.name].answer,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
    deadlines: { firstByte: timeoutMs, total: timeoutMs },
  });
  const text = await readText(response.body, maxAnswerBytes);
  if (response.status >= 300) throw rejection(text, response, options);
  return toResult(protocol.decodeResponse(parseAnswer(text, upstream.name)), model);
}

function toNeutral(model: string, request: SummaryRequest, asked: ReasoningRequest | undefined): NeutralRequest {
  const { thinks, maxOutput } = resolveModel(model);
  const reasoning = asked ?? (thinks ? ({ effort: "low" } as const) : undefined);
  return {
    model,
    system: [],
    messages: [{ role: "user", parts: [{ type: "text", text: request.prompt }] }],
    tools: [],
    maxOutputTokens: thinks ? Math.min(request.maxTokens + thinkingTokens, maxOutput) : request.maxTokens,
    stop: [],
    ...(reasoning === undefined ? {} : { reasoning }),
    stream: false,
    includeUsage: false,
    contextEdits: [],
    extra: {},
    source: undefined,
  };
}

function toResult(answer: NeutralResponse, model: string): SummaryResult {
  const calls = answer.parts.some((part) => part.type === "tool-call");
  return {
    text: textOfParts(answer.parts),
    finish: calls ? "tool-call" : finishes[answer.finish],
    model: answer.model ?? model,
    ...(answer.usage === undefined
      ? {}
      : { usage: { inputTokens: answer.usage.inputTokens, outputTokens: answer.usage.outputTokens } }),
  };
}

const finishes: Readonly<Record<FinishReason, SummaryResult["finish"]>> = {
  stop: "complete",
  "stop-sequence": "complete",
  length: "cut-off",
  "context-window": "cut-off",
  pause: "cut-off",
  compaction: "cut-off",
  "tool-calls": "tool-call",
  refusal: "refused",
};

function textOfParts(parts: readonly Part[]): string {
  return parts
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n")
    .trim();
}

function parseAnswer(text: string, upstream: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MidfoldError("UPSTREAM_BROKEN", `The upstream "${upstream}" answered with something that is no JSON.`);
  }
}

function rejection(
  text: string,
  response: UpstreamResponse,
  { protocol, upstream }: ModelSummarizerOptions,
): MidfoldError {
  const body = redactSecrets(text.slice(0, 64 * 1024), Object.values(upstream.headers ?? {}));
  const error = protocol.decodeError({ status: response.status, body, headers: response.headers });
  // On this error the caller tries again with less text.
  const code = error.code === "UPSTREAM_OVERFLOW" ? "CONTEXT_OVERFLOW" : error.code;
  return new MidfoldError(code, error.message, {
    retryable: error.retryable,
    status: error.status,
    details: { ...error.details, upstream: upstream.name, upstreamStatus: response.status },
  });
}

function isUnknownModel(error: unknown): boolean {
  return isMidfoldError(error, "UPSTREAM_NOT_FOUND");
}
