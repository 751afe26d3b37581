import { type ErrorCode, MidfoldError } from "@midfold/core";
import { isJsonObject, numberField, textField } from "../neutral/json-object.ts";
import type { Failure } from "../neutral/protocol.ts";
import { detectAnswerLimit } from "../overflow/detect-answer-limit.ts";
import { detectOverflow } from "../overflow/detect-overflow.ts";
import { saysNothing } from "../overflow/says-nothing.ts";

const longestMessage = 1_000;

/** What servers put into an error, in whatever spelling. */
interface ErrorFields {
  readonly message?: string;
  readonly type?: string;
  readonly code?: string;
  readonly status?: number;
}

/** Types and codes that say more than the HTTP status they come with, or come without one. */
const statusByType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  INVALID_ARGUMENT: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  UNAUTHENTICATED: 401,
  billing_error: 402,
  insufficient_quota: 402,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  NOT_FOUND: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  RESOURCE_EXHAUSTED: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
  UNAVAILABLE: 503,
};

/** The error behind an answer that is none: any status, any body, any provider's spelling. */
export function decodeFailure(failure: Failure): MidfoldError {
  const body = parse(failure.body);
  const fields = readFields(body) ?? {};
  const retryAfterMs = readRetryAfter(failure.headers ?? {});
  return errorOf(fields, failure.status, body, retryAfterMs);
}

/** The error inside an answer that called itself a success: a body with `error`, or an event of a stream. */
export function decodeErrorObject(body: unknown): MidfoldError {
  return errorOf(readFields(body) ?? {}, undefined, body, undefined);
}

/** The same, where only a sentence in it makes it an error. */
export function decodeErrorWords(body: unknown): MidfoldError | undefined {
  return readFields(body)?.message === undefined ? undefined : decodeErrorObject(body);
}

function errorOf(
  fields: ErrorFields,
  httpStatus: number | undefined,
  body: unknown,
  retryAfterMs?: number,
): MidfoldError {
  const { message, type, code } = fields;
  const named = statusByType[code ?? ""] ?? statusByType[type ?? ""];
  const status = named === 402 ? 402 : (httpStatus ?? fields.status ?? named ?? 500);
  const facts = {
    ...(httpStatus === undefined ? {} : { upstreamStatus: httpStatus }),
    ...(type === undefined ? {} : { upstreamType: type }),
    ...(code === undefined ? {} : { upstreamCode: code }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  const overflow = detectOverflow({ status, code: code ?? type, message, body });
  const said = message === undefined ? `The upstream failed with status ${status}.` : withoutSecrets(message);
  if (overflow !== undefined)
    return new MidfoldError("UPSTREAM_OVERFLOW", said, { details: { ...facts, ...overflow } });
  const kind = kindOf(status);
  const answerLimit = kind === "UPSTREAM_REJECTED" ? detectAnswerLimit(message ?? "") : undefined;
  const details = {
    ...facts,
    ...(answerLimit === undefined ? {} : { answerLimit }),
    ...(httpStatus === 400 && saysNothing(message, type, code) ? { wordless: true } : {}),
  };
  return new MidfoldError(kind, said, { details, ...clientStatus(kind, status) });
}

/** What the client is told: a refused key or a body that is too large is the upstream's verdict, not a broken gateway. */
function clientStatus(kind: ErrorCode, status: number): { readonly status?: number } {
  if (kind === "UPSTREAM_CREDENTIALS" || status === 413) return { status };
  return kind === "UPSTREAM_REJECTED" ? { status: 400 } : {};
}

function kindOf(status: number): ErrorCode {
  if (status === 401 || status === 403) return "UPSTREAM_CREDENTIALS";
  if (status === 402) return "UPSTREAM_QUOTA";
  if (status === 404) return "UPSTREAM_NOT_FOUND";
  if (status === 408 || status === 504) return "UPSTREAM_TIMEOUT";
  if (status === 429) return "UPSTREAM_RATE_LIMITED";
  if (status >= 500) return "UPSTREAM_OVERLOADED";
  return status >= 400 ? "UPSTREAM_REJECTED" : "UPSTREAM_BROKEN";
}

function parse(body: string): unknown {
  const text = body.trimStart();
  if (!text.startsWith("{") && !text.startsWith("[")) {
    // Pages and plain words: a proxy's page says nothing, a short sentence may.
    return text === "" || text.startsWith("<") ? undefined : { error: text.slice(0, longestMessage) };
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const sentenceNames = ["message", "msg", "error_msg", "status_msg", "description"] as const;

function readFields(value: unknown, depth = 0): ErrorFields | undefined {
  const body: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof body === "string") return nested(body) ?? { message: body };
  if (!isJsonObject(body) || depth > 4) return undefined;
  const sentence = sentenceNames.map((name) => textField(body[name])).find((text) => text !== undefined);
  // Google repeats the error as a list inside it: what stands beside a sentence says no more.
  const inside = body.error ?? (sentence === undefined ? (body.detail ?? body.errors ?? body.base_resp) : undefined);
  if (inside !== undefined && inside !== null) {
    const fields = readFields(inside, depth + 1);
    // {"error": "Bad Request", "message": "what is wrong"}
    if (typeof inside !== "string" || sentence === undefined) return fields;
    return { ...fields, message: `${inside}: ${sentence}` };
  }
  const raw = isJsonObject(body.metadata) ? textField(body.metadata.raw) : undefined;
  const inner = nested(raw) ?? nested(sentence);
  const number = numberField(body.code) ?? numberField(body.status);
  return {
    ...(sentence === undefined ? {} : { message: sentence }),
    ...(typeof body.type === "string" ? { type: body.type } : {}),
    ...(typeof body.code === "string" ? { code: body.code } : {}),
    ...(typeof body.status === "string" ? { type: body.status } : {}),
    ...(number === undefined || number < 400 ? {} : { status: number }),
    ...inner,
  };
}

/** Some gateways put the provider's whole error, as JSON text, into their own. */
function nested(text: string | undefined): ErrorFields | undefined {
  if (text === undefined || !text.includes("{")) return undefined;
  try {
    return readFields(JSON.parse(text.slice(text.indexOf("{"))) as unknown);
  } catch {
    return undefined;
  }
}

function withoutSecrets(message: string): string {
  const line = message.split("\n    at ")[0] ?? "";
  return line
    .slice(0, longestMessage)
    .replaceAll(/\b(?:sk-|pk-|key-|sk|pk|key|AIza)[-_]?[\w*-]{12,}|\bsk-[\w*-]{3,}/g, "[secret]");
}

function readRetryAfter(headers: Readonly<Record<string, string | undefined>>): number | undefined {
  const exact = Number(headers["retry-after-ms"]);
  if (Number.isFinite(exact) && exact >= 0 && headers["retry-after-ms"]) return exact;
  const value = headers["retry-after"]?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
