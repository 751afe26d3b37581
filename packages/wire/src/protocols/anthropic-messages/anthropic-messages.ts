import { formats } from "@midfold/core";
import { isJsonObject, numberField } from "../../neutral/json-object.ts";
import type { BodyAccess, ModelEntry, ModelPage, Protocol } from "../../neutral/protocol.ts";
import { decodeFailure } from "../decode-failure.ts";
import { decodeTools } from "../decode-tools.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { decodeSystem } from "./decode-system.ts";
import { decodeToolChoice } from "./decode-tool-choice.ts";
import { encodeError, overflowError } from "./encode-error.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { mendBody } from "./mend-body.ts";
import { createStreamDecoder } from "./stream-decoder.ts";
import { createStreamEncoder, ping } from "./stream-encoder.ts";

const bodyAccess: BodyAccess = {
  fields: {
    model: "model",
    stream: "stream",
    tools: "tools",
    messages: "messages",
    system: "system",
    maxOutput: ["max_tokens"],
  },
  messagesOf: (body) => (isJsonObject(body) && Array.isArray(body.messages) ? body.messages : []),
  withMessages: (body, messages) => (isJsonObject(body) ? { ...body, messages } : body),
  systemOf: (body) => (isJsonObject(body) ? decodeSystem(body.system) : []),
  toolsOf: (body) => (isJsonObject(body) ? decodeTools(body.tools) : []),
  toolChoiceOf: (body) => (isJsonObject(body) ? decodeToolChoice(body.tool_choice).toolChoice : undefined),
  maxOutputOf: (body) => (isJsonObject(body) ? numberField(body.max_tokens) : undefined),
  mend: mendBody,
  withMaxOutput: (body, tokens) => {
    if (!isJsonObject(body)) return body;
    const { thinking } = body;
    const budget = isJsonObject(thinking) ? numberField(thinking.budget_tokens) : undefined;
    if (budget === undefined || budget < tokens) return { ...body, max_tokens: tokens };
    // The API demands a budget of thoughts below the limit, and at least 1024; below that the thoughts are left out.
    const smaller = tokens - 1;
    const { thinking: _, ...rest } = body;
    const kept =
      smaller >= 1_024 && isJsonObject(thinking) ? { thinking: { ...thinking, budget_tokens: smaller } } : {};
    return { ...rest, ...kept, max_tokens: tokens };
  },
};

/** Anthropic Messages. */
export const anthropicMessages: Protocol = {
  name: "anthropic-messages",
  format: formats["anthropic-messages"],
  idPrefix: "msg_",
  body: bodyAccess,
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createStreamDecoder,
  createStreamEncoder,
  keepAlive: ping,
  decodeError: decodeFailure,
  encodeError,
  overflowError,
  encodeModels,
  encodeModel,
  encodeTokenCount: (inputTokens) => ({ input_tokens: inputTokens }),
};

const pageSize = 20;
const largestPage = 1_000;

/** One page of the models list. */
function encodeModels(models: readonly ModelEntry[], page: ModelPage = {}): unknown {
  const limit = Math.min(Math.max(1, page.limit ?? pageSize), largestPage);
  const after = page.afterId === undefined ? 0 : models.findIndex((model) => model.id === page.afterId) + 1;
  const before = page.beforeId === undefined ? -1 : models.findIndex((model) => model.id === page.beforeId);
  const end = before < 0 ? Math.min(models.length, after + limit) : before;
  const start = before < 0 ? after : Math.max(0, before - limit);
  const data = models.slice(start, end);
  return {
    data: data.map(encodeModel),
    has_more: before < 0 ? end < models.length : start > 0,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function encodeModel(model: ModelEntry): unknown {
  return {
    type: "model",
    id: model.id,
    display_name: model.displayName ?? model.id,
    created_at: new Date((model.createdAt ?? 0) * 1000).toISOString(),
    ...(model.contextWindow === undefined ? {} : { max_input_tokens: model.contextWindow }),
    ...(model.maxOutputTokens === undefined ? {} : { max_tokens: model.maxOutputTokens }),
  };
}
