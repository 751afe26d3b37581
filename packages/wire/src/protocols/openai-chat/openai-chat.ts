import { formats } from "@midfold/core";
import { isJsonObject, numberField } from "../../neutral/json-object.ts";
import type { BodyAccess, Protocol } from "../../neutral/protocol.ts";
import { sseComment } from "../../sse/encode-sse.ts";
import { decodeFailure } from "../decode-failure.ts";
import { decodeFunctions, decodeTools } from "../decode-tools.ts";
import { encodeOpenaiError, openaiOverflow } from "../openai-error.ts";
import { encodeOpenaiModel, encodeOpenaiModels } from "../openai-models.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { decodeToolChoice } from "./decode-tool-choice.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { createStreamDecoder } from "./stream-decoder.ts";
import { createStreamEncoder } from "./stream-encoder.ts";

const preferred = "max_completion_tokens";
const older = "max_tokens";

const bodyAccess: BodyAccess = {
  fields: {
    model: "model",
    stream: "stream",
    tools: "tools",
    messages: "messages",
    maxOutput: [preferred, older],
    streamUsage: "stream_options",
  },
  messagesOf: (body) => (isJsonObject(body) && Array.isArray(body.messages) ? body.messages : []),
  withMessages: (body, messages) => (isJsonObject(body) ? { ...body, messages } : body),
  systemOf: () => [],
  toolsOf: (body) => (isJsonObject(body) ? [...decodeTools(body.tools), ...decodeFunctions(body.functions)] : []),
  toolChoiceOf: (body) => (isJsonObject(body) ? decodeToolChoice(body) : undefined),
  maxOutputOf: (body) => (isJsonObject(body) ? (numberField(body[preferred]) ?? numberField(body[older])) : undefined),
  withMaxOutput: (body, tokens) => {
    if (!isJsonObject(body)) return body;
    // Servers know one of the two fields, so the one the client used stays.
    return numberField(body[preferred]) !== undefined ? { ...body, [preferred]: tokens } : { ...body, [older]: tokens };
  },
};

/** OpenAI Chat Completions, and the servers that imitate it. */
export const openaiChat: Protocol = {
  name: "openai-chat",
  format: formats["openai-chat"],
  idPrefix: "chatcmpl-",
  body: bodyAccess,
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createStreamDecoder,
  createStreamEncoder,
  keepAlive: sseComment,
  decodeError: decodeFailure,
  encodeError: (error, requestId) => encodeOpenaiError(error, requestId, "messages"),
  overflowError: (sizes) => openaiOverflow(sizes, "messages"),
  encodeModels: encodeOpenaiModels,
  encodeModel: encodeOpenaiModel,
  encodeTokenCount: (inputTokens) => ({ object: "response.input_tokens", input_tokens: inputTokens }),
};
