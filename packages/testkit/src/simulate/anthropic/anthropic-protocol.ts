import { asText } from "../json.ts";
import type { Protocol } from "../protocol.ts";
import { readPieces, readRequest } from "./read-request.ts";
import { validateRequest } from "./validate-request.ts";
import { writeFrames, writeJson } from "./write-answer.ts";

/** Anthropic's Messages API, its token counts and its model list. */
export const anthropicProtocol: Protocol = {
  name: "anthropic-messages",
  route(method, path) {
    if (method === "POST" && path === "/v1/messages") return "reply";
    if (method === "POST" && path === "/v1/messages/count_tokens") return "count";
    if (method === "GET" && path === "/v1/models") return "models";
    return method === "GET" && path.startsWith("/v1/models/") ? "model" : undefined;
  },
  validate: validateRequest,
  pieces: readPieces,
  outputLimit: (body) => (typeof body.max_tokens === "number" ? body.max_tokens : undefined),
  read: readRequest,
  frames: writeFrames,
  json: writeJson,
  countBody: (inputTokens) => ({ input_tokens: inputTokens }),
  modelBody: (id, { window = 200_000, maxOutput = 64_000 }) => ({
    type: "model",
    id,
    display_name: id,
    created_at: "2026-01-01T00:00:00Z",
    max_input_tokens: window,
    max_tokens: maxOutput,
  }),
  modelList(ids, options) {
    const data = ids.map((id) => this.modelBody(id, options));
    return { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null };
  },
  errorBody: ({ type, message }) => ({ type: "error", error: { type, message }, request_id: "req_sim" }),
  errorHeaders: () => ({ "request-id": "req_sim" }),
  errorFrame: ({ type, message }) => ({
    event: "error",
    data: JSON.stringify({ type: "error", error: { type: asText(type), message } }),
  }),
};
