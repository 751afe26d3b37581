import { formats } from "@midfold/core";
import { decodeFailure } from "../decode-failure.ts";
import type { Protocol } from "../protocol.ts";
import { bodyAccess } from "./body-access.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { encodeError, overflowError } from "./encode-error.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { encodeModel, encodeModels } from "./models.ts";
import { createStreamDecoder } from "./stream-decoder.ts";
import { createStreamEncoder, ping } from "./stream-encoder.ts";

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
