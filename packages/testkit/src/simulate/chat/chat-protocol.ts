import { openaiErrorBody, openaiModelBody, openaiModelList, openaiModelPurpose } from "../openai-models.ts";
import type { Protocol } from "../protocol.ts";
import { readPieces, readRequest } from "./read-request.ts";
import { validateRequest } from "./validate-request.ts";
import { writeFrames, writeJson } from "./write-answer.ts";

/** OpenAI's Chat Completions and model list. */
export const chatProtocol: Protocol = {
  name: "openai-chat",
  route: (method, path) =>
    method === "POST" && path === "/v1/chat/completions" ? "reply" : openaiModelPurpose(method, path),
  validate: validateRequest,
  pieces: readPieces,
  outputLimit: ({ max_completion_tokens: newer, max_tokens: older }) =>
    typeof newer === "number" ? newer : typeof older === "number" ? older : undefined,
  read: readRequest,
  frames: writeFrames,
  json: writeJson,
  countBody: (inputTokens) => ({ input_tokens: inputTokens }),
  modelBody: openaiModelBody,
  modelList: openaiModelList,
  errorBody: openaiErrorBody,
  errorHeaders: () => ({ "x-request-id": "req_sim" }),
  errorFrame: (problem) => ({ data: JSON.stringify(openaiErrorBody(problem)) }),
};
