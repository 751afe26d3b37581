import { formats } from "@midfold/core";
import { sseComment } from "../../sse/encode-sse.ts";
import { decodeFailure } from "../decode-failure.ts";
import { encodeOpenaiError, openaiOverflow } from "../openai-error.ts";
import { encodeOpenaiModel, encodeOpenaiModels } from "../openai-models.ts";
import type { Protocol } from "../protocol.ts";
import { bodyAccess } from "./body-access.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { createStreamDecoder } from "./stream-decoder.ts";
import { createStreamEncoder } from "./stream-encoder.ts";

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
