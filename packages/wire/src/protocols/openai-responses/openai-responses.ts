import { formats } from "@midfold/core";
import { isJsonObject, numberField, textField } from "../../neutral/json-object.ts";
import type { BodyAccess, Protocol } from "../../neutral/protocol.ts";
import { sseComment } from "../../sse/encode-sse.ts";
import { decodeFailure } from "../decode-failure.ts";
import { decodeTools } from "../decode-tools.ts";
import { encodeOpenaiError, openaiOverflow } from "../openai-error.ts";
import { encodeOpenaiModel, encodeOpenaiModels } from "../openai-models.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { decodeToolChoice } from "./decode-tool-choice.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { hasCompactionTrigger, itemsOf, refusesCompactionTrigger } from "./items-of.ts";
import { createStreamDecoder } from "./stream-decoder.ts";
import { createStreamEncoder } from "./stream-encoder.ts";

/** `previous_response_id`: a client that goes on from an answer sends only what is new. */
const storedResponses: NonNullable<BodyAccess["stored"]> = {
  previousOf: (body) => (isJsonObject(body) ? textField(body.previous_response_id) : undefined),
  withHistory: (body, items) => {
    if (!isJsonObject(body)) return body;
    const { previous_response_id: _, ...rest } = body;
    return { ...rest, input: [...items, ...itemsOf(body)] };
  },
  isKept: (body) => isJsonObject(body) && body.store !== false,
  outputOf: (response) => {
    if (!isJsonObject(response) || !Array.isArray(response.output)) return undefined;
    const id = textField(response.id);
    return id === undefined ? undefined : { id, items: response.output };
  },
  answerIn: (frames) => {
    const at = Math.max(frames.indexOf("event: response.completed"), frames.indexOf("event: response.incomplete"));
    const data = at === -1 ? undefined : /^data: (.+)$/m.exec(frames.slice(at))?.[1];
    if (data === undefined) return undefined;
    const event: unknown = JSON.parse(data);
    return isJsonObject(event) ? event.response : undefined;
  },
};

const bodyAccess: BodyAccess = {
  fields: {
    model: "model",
    stream: "stream",
    tools: "tools",
    messages: "input",
    system: "instructions",
    maxOutput: ["max_output_tokens"],
  },
  messagesOf: itemsOf,
  withMessages: (body, messages) => (isJsonObject(body) ? { ...body, input: messages } : body),
  systemOf: (body) =>
    isJsonObject(body) && typeof body.instructions === "string" && body.instructions !== ""
      ? [{ role: "system", parts: [{ type: "text", text: body.instructions }] }]
      : [],
  toolsOf: (body) => (isJsonObject(body) ? decodeTools(body.tools) : []),
  toolChoiceOf: (body) => (isJsonObject(body) ? decodeToolChoice(body.tool_choice) : undefined),
  maxOutputOf: (body) => (isJsonObject(body) ? numberField(body.max_output_tokens) : undefined),
  stored: storedResponses,
  compaction: {
    isAsked: (body) => hasCompactionTrigger(itemsOf(body)),
    isRefusedIn: refusesCompactionTrigger,
  },
  withMaxOutput: (body, tokens) => (isJsonObject(body) ? { ...body, max_output_tokens: tokens } : body),
};

/** OpenAI Responses. */
export const openaiResponses: Protocol = {
  name: "openai-responses",
  format: formats["openai-responses"],
  idPrefix: "resp_",
  body: bodyAccess,
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createStreamDecoder,
  createStreamEncoder,
  keepAlive: sseComment,
  failsInStream: true,
  decodeError: decodeFailure,
  encodeError: (error, requestId) => encodeOpenaiError(error, requestId, "input"),
  overflowError: (sizes) => openaiOverflow(sizes, "input"),
  encodeModels: encodeOpenaiModels,
  encodeModel: encodeOpenaiModel,
  encodeTokenCount: (inputTokens) => ({ object: "response.input_tokens", input_tokens: inputTokens }),
};
