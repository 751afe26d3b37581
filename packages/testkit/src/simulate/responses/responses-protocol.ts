import { sealThought } from "../../generate/sign-thought.ts";
import { openaiErrorBody, openaiModelBody, openaiModelList, openaiModelPurpose } from "../openai-models.ts";
import type { Protocol } from "../protocol.ts";
import { readPieces, readRequest } from "./read-request.ts";
import { inputItems } from "./resolve-items.ts";
import { validateRequest } from "./validate-request.ts";
import { envelope, writeFrames, writeJson } from "./write-answer.ts";

/** OpenAI's Responses API with its token counts, compaction and model list. */
export const responsesProtocol: Protocol = {
  name: "openai-responses",
  route(method, path) {
    if (method !== "POST") return openaiModelPurpose(method, path);
    if (path === "/v1/responses") return "reply";
    if (path === "/v1/responses/input_tokens") return "count";
    return path === "/v1/responses/compact" ? "compact" : undefined;
  },
  validate: validateRequest,
  pieces: readPieces,
  outputLimit: ({ max_output_tokens: limit }) => (typeof limit === "number" ? limit : undefined),
  read: readRequest,
  frames: writeFrames,
  json: writeJson,
  countBody: (inputTokens) => ({ object: "response.input_tokens", input_tokens: inputTokens }),
  /** Keeps what the user said and seals the rest, as the real endpoint does. */
  compactBody(context) {
    const kept = inputItems(context.turn.body).filter(
      (item) => typeof item === "object" && item !== null && "role" in item && item.role === "user",
    );
    const sealed = { type: "compaction", id: `cmp_${context.id}`, encrypted_content: sealThought(context.id) };
    const { usage } = envelope({}, context, {});
    return {
      id: `resp_${context.id}`,
      object: "response.compaction",
      created_at: 1_770_000_000,
      output: [...kept, sealed],
      usage,
    };
  },
  modelBody: openaiModelBody,
  modelList: openaiModelList,
  errorBody: openaiErrorBody,
  errorHeaders: () => ({ "x-request-id": "req_sim" }),
  errorFrame(problem, context) {
    const error = { code: problem.code ?? problem.type, message: problem.message };
    const response = envelope({}, context, { status: "failed", error, output: [], usage: null });
    return {
      event: "response.failed",
      data: JSON.stringify({ type: "response.failed", sequence_number: 2, response }),
    };
  },
};
