import { type ErrorCode, errorCatalogue, MidfoldError } from "@midfold/core";
import { describe, expect, it } from "vitest";
import type { ProtocolName } from "../neutral/protocol.ts";
import { detectOverflow } from "../overflow/detect-overflow.ts";
import { decodeFailure } from "./decode-failure.ts";
import { protocols } from "./protocols.ts";

const { "anthropic-messages": anthropic, "openai-chat": chat, "openai-responses": responses } = protocols;
const codes = Object.keys(errorCatalogue) as ErrorCode[];
const fail = (status: number, body: unknown, headers = {}) =>
  decodeFailure({ status, body: typeof body === "string" ? body : JSON.stringify(body), headers });

describe("B6 errors", () => {
  it.each([
    [400, 400, "invalid_request_error"],
    [401, 401, "authentication_error"],
    [402, 402, "billing_error"],
    [403, 403, "permission_error"],
    [404, 404, "not_found_error"],
    [408, 504, "timeout_error"],
    [413, 413, "request_too_large"],
    [422, 400, "invalid_request_error"],
    [429, 429, "rate_limit_error"],
    [500, 500, "api_error"],
    [502, 529, "overloaded_error"],
    [503, 529, "overloaded_error"],
    [504, 504, "timeout_error"],
    [529, 529, "overloaded_error"],
  ])("B6.63 status %i leaves as %i %s", (status, expected, type) => {
    const error = new MidfoldError("UPSTREAM_BROKEN", "words", { status });
    expect(anthropic.encodeError(error, "req_1")).toEqual({
      status: expected,
      headers: { "request-id": "req_1", "x-should-retry": "true" },
      body: { type: "error", error: { type, message: "words" }, request_id: "req_1" },
    });
  });

  it("B6.64 OpenAI's envelope, and quota told from rate", () => {
    const rate = fail(429, { error: { message: "slow down", type: "requests", code: "rate_limit_exceeded" } });
    expect(chat.encodeError(rate, "r")).toMatchObject({
      status: 429,
      headers: { "x-request-id": "r" },
      body: { error: { message: "slow down", type: "rate_limit_error", param: null, code: "rate_limit_exceeded" } },
    });
    const quota = fail(429, {
      error: { message: "no credit", type: "insufficient_quota", code: "insufficient_quota" },
    });
    expect(quota.code).toBe("UPSTREAM_QUOTA");
    expect(quota.retryable).toBe(false);
    expect(chat.encodeError(quota, "r")).toMatchObject({
      status: 429,
      body: { error: { code: "insufficient_quota" } },
    });
    expect(anthropic.encodeError(quota, "r")).toMatchObject({
      status: 402,
      body: { error: { type: "billing_error" } },
    });
  });

  it.each(Object.keys(protocols) as ProtocolName[])("B6.66 %s has an envelope for every error there is", (name) => {
    for (const code of codes) {
      const { status, body } = protocols[name].encodeError(new MidfoldError(code, "words"), "r");
      expect(status).toBeGreaterThanOrEqual(400);
      expect(body).toMatchObject({ error: { message: expect.any(String), type: expect.any(String) } });
    }
  });

  it("B6.66 what went wrong inside is not told", () => {
    const error = new MidfoldError("INTERNAL", "password=hunter2 in /etc");
    expect(JSON.stringify(chat.encodeError(error, "r"))).not.toContain("hunter2");
  });

  it("B6.65 waiting times are passed on in both spellings", () => {
    const error = fail(429, {}, { "retry-after": "3" });
    expect(anthropic.encodeError(error, "r").headers).toMatchObject({ "retry-after": "3", "retry-after-ms": "3000" });
    expect(fail(429, {}, { "retry-after-ms": "250" }).details.retryAfterMs).toBe(250);
    const soon = fail(429, {}, { "retry-after": new Date(Date.now() + 60_000).toUTCString() }).details.retryAfterMs;
    expect(soon).toBeGreaterThan(50_000);
    expect(soon).toBeLessThanOrEqual(60_000);
    expect(fail(429, {}, { "retry-after": new Date(0).toUTCString() }).details.retryAfterMs).toBe(0);
    expect(fail(429, {}, { "retry-after": "soon" }).details).not.toHaveProperty("retryAfterMs");
  });

  describe("an upstream's failure in any spelling", () => {
    it.each([
      [
        "Anthropic",
        529,
        { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
        "UPSTREAM_OVERLOADED",
        "Overloaded",
      ],
      [
        "OpenAI",
        404,
        { error: { message: "no such model", code: "model_not_found" } },
        "UPSTREAM_NOT_FOUND",
        "no such model",
      ],
      [
        "Gemini in a list",
        400,
        [{ error: { code: 400, message: "bad field", status: "INVALID_ARGUMENT" } }],
        "UPSTREAM_REJECTED",
        "bad field",
      ],
      ["FastAPI", 422, { detail: "field required" }, "UPSTREAM_REJECTED", "field required"],
      ["Ollama", 500, { error: "model runner crashed" }, "UPSTREAM_OVERLOADED", "model runner crashed"],
      [
        "an HTML page",
        502,
        "<html><h1>Bad gateway</h1></html>",
        "UPSTREAM_OVERLOADED",
        "The upstream failed with status 502.",
      ],
      ["nothing", 500, "", "UPSTREAM_OVERLOADED", "The upstream failed with status 500."],
      ["broken JSON", 400, "{oops", "UPSTREAM_REJECTED", "The upstream failed with status 400."],
      ["plain words", 503, "try later", "UPSTREAM_OVERLOADED", "try later"],
      [
        "a refused key",
        401,
        { error: { message: "Incorrect API key sk-abc" } },
        "UPSTREAM_CREDENTIALS",
        "Incorrect API key [secret]",
      ],
      [
        "a stack trace",
        400,
        { error: { message: "TypeError: x\n    at foo (/srv/a.js:1)" } },
        "UPSTREAM_REJECTED",
        "TypeError: x",
      ],
    ])("%s", (_, status, body, code, message) => {
      expect(fail(status, body)).toMatchObject({ code, message });
    });

    it("OpenRouter's nested error is opened", () => {
      const raw = JSON.stringify({ error: { message: "prompt is too long: 9 tokens > 8 maximum" } });
      const error = fail(400, { error: { message: "Provider returned error", code: 400, metadata: { raw } } });
      expect(error).toMatchObject({ code: "UPSTREAM_OVERFLOW", details: { input: 9, limit: 8 } });
    });

    it("no key is quoted", () => {
      expect(fail(400, { error: { message: "bad sk-proj-abcdefghijklmnop given" } }).message).toBe(
        "bad [secret] given",
      );
    });
  });

  it("an overflow leaves each protocol in the words its clients know, with the sizes", () => {
    const error = fail(400, {
      error: {
        message: "This model's maximum context length is 8000 tokens. However, your request has 9000 input tokens.",
      },
    });
    expect(error.code).toBe("UPSTREAM_OVERFLOW");
    expect(anthropic.encodeError(error, "r")).toMatchObject({
      status: 400,
      body: { error: { type: "invalid_request_error", message: "prompt is too long: 9000 tokens > 8000 maximum" } },
    });
    expect(chat.encodeError(error, "r")).toMatchObject({
      status: 400,
      body: { error: { code: "context_length_exceeded", param: "messages", message: expect.stringContaining("8000") } },
    });
    expect(responses.encodeError(error, "r")).toMatchObject({
      status: 400,
      body: { error: { code: "context_length_exceeded", param: "input" } },
    });
    const vague = fail(400, { error: { message: "context window exceeds limit" } });
    expect(anthropic.encodeError(vague, "r").body).toMatchObject({
      error: { message: expect.stringMatching(/^prompt is too long/) },
    });
    for (const protocol of Object.values(protocols)) {
      const own = protocol.overflowError({ limit: 100, input: 120 });
      const { body, status } = protocol.encodeError(own, "r");
      const fields = (body as { error: { message: string; code?: string } }).error;
      expect(detectOverflow({ status, message: fields.message, code: fields.code })).toBeDefined();
    }
  });
});

describe("B6 lists and counts", () => {
  const models = ["a", "b", "c"].map((id) => ({
    id,
    contextWindow: 1000,
    maxOutputTokens: 100,
    createdAt: 1_700_000_000,
  }));

  it("B6.68 a token count in each protocol's shape", () => {
    expect(anthropic.encodeTokenCount(12)).toEqual({ input_tokens: 12 });
    expect(responses.encodeTokenCount(12)).toEqual({ object: "response.input_tokens", input_tokens: 12 });
  });

  it("B6.69 models in both shapes, with pages for Anthropic's", () => {
    expect(anthropic.encodeModels(models, { limit: 2 })).toEqual({
      data: [
        {
          type: "model",
          id: "a",
          display_name: "a",
          created_at: "2023-11-14T22:13:20.000Z",
          max_input_tokens: 1000,
          max_tokens: 100,
        },
        expect.objectContaining({ id: "b" }),
      ],
      has_more: true,
      first_id: "a",
      last_id: "b",
    });
    expect(anthropic.encodeModels(models, { limit: 2, afterId: "b" })).toMatchObject({
      data: [{ id: "c" }],
      has_more: false,
    });
    expect(anthropic.encodeModels(models, { limit: 1, beforeId: "c" })).toMatchObject({
      data: [{ id: "b" }],
      has_more: true,
    });
    expect(anthropic.encodeModels([])).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
    expect(chat.encodeModels(models)).toMatchObject({
      object: "list",
      data: [{ id: "a", object: "model", context_length: 1000, max_model_len: 1000 }, {}, {}],
    });
    expect(chat.encodeModel(models[0]!)).toMatchObject({ id: "a", owned_by: "midfold" });
  });
});
