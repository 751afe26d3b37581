import { describe, expect, it } from "vitest";
import { decodeFailure } from "./decode-failure.ts";
import { protocols } from "./protocols.ts";
import { error, tooLong } from "./real-overflows.test-data.ts";

const fail = (status: number, body: unknown) =>
  decodeFailure({ status, body: typeof body === "string" ? body : JSON.stringify(body), headers: {} });
const somethingElse: readonly (readonly [string, number, unknown])[] = [
  [
    "OpenRouter without credit",
    402,
    error(
      "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 21130.",
      { code: 402 },
    ),
  ],
  [
    "OpenRouter with a limited key",
    402,
    error("Prompt tokens limit exceeded: 230799 > 91442. To increase, visit the settings", { code: 402 }),
  ],
  [
    "OpenRouter's sentence about credit with another status",
    400,
    error("You requested up to 32000 tokens, but can only afford 21130."),
  ],
  [
    "Groq's tokens per minute",
    413,
    error(
      "Request too large for model `llama-3.3-70b-versatile` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again.",
      { type: "tokens", code: "rate_limit_exceeded" },
    ),
  ],
  ["a limit per day", 400, error("Daily token limit exceeded: used 41000 of 40000 tokens")],
  ["Bedrock in a hurry", 400, { message: "Too many tokens, please wait before trying again." }],
  [
    "Doubao's limit on the answer",
    400,
    error(
      "The parameter `max_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 4096, but got 8192 instead.",
    ),
  ],
  [
    "Gemini's limit on the answer",
    400,
    error(
      "Unable to submit request because it has a maxOutputTokens value of 65535 but the supported range is from 1 (inclusive) to 8193 (exclusive).",
    ),
  ],
  ["Together's limit on the answer", 422, error("max_new_tokens must be <= 8192. Given: 32000")],
  ["DashScope's limit on the answer", 400, error("<400> InvalidParameter: Range of max_tokens should be [1, 8192]")],
  [
    "Claude's limit on thinking",
    400,
    error("`max_tokens` must be greater than `thinking.budget_tokens`. Got input of 4096 and 16000"),
  ],
  ["a picture too large", 400, error("image exceeds 5 MB maximum: 7340032 bytes > 5242880 bytes")],
  ["a picture too wide", 400, error("The input picture has 9000 pixels, at most 8000 are allowed")],
  ["a text measured in characters", 400, error("Input exceeds limit of 40000 characters (got 52000)")],
  ["a list too long", 400, error("Invalid 'messages': array too long. Expected maximum length 2048, got length 2500.")],
  ["a prompt too short to be cached", 400, error("Prompt length 12500 is below the minimum of 16384 tokens")],
  [
    "a cache too small",
    400,
    error("Cached content is too small. total_token_count=12500, min_total_token_count=16384"),
  ],
  ["a refused key", 401, error("Key 12500 has exceeded its allowance of 8192 tokens")],
  ["a plan without the model", 403, error("Your plan allows 8192 tokens of context, the request had 12500 tokens")],
  ["an unknown model", 404, error("no model with 12500 tokens of context, 8192 at most")],
  ["Moonshot's rate in Chinese", 400, error("请求频率超过限制: token 41000, 上限 32000")],
  [
    "nginx",
    413,
    "<html><head><title>413 Request Entity Too Large</title></head><body>nginx/1.27.0 8192 16384</body></html>",
  ],
  ["Express", 413, { message: "request entity too large", expected: 17000, length: 17000, limit: 1024 }],
  ["Fastify", 413, { statusCode: 413, error: "Payload Too Large", message: "Request body is too large" }],
  ["a function of a cloud", 413, { Message: "Request must be smaller than 6291456 bytes" }],
];

describe("errors of real servers", () => {
  it.each(tooLong)("%s says that the conversation is too long", (_, status, body, sizes) => {
    const failure = fail(status, body);
    expect(failure.code).toBe("UPSTREAM_OVERFLOW");
    const { limit, input, output, requested, excess, unconfirmed } = failure.details;
    expect({ limit, input, output, requested, excess, unconfirmed }).toEqual({ ...sizes });
  });

  it.each(somethingElse)("%s does not speak of the window", (_, status, body) => {
    expect(fail(status, body).code).not.toBe("UPSTREAM_OVERFLOW");
  });

  it("the sentence is found wherever it stands", () => {
    expect(fail(400, { error: "Bad Request", message: "no such field" }).message).toBe("Bad Request: no such field");
    expect(fail(400, { errors: [{ description: "no such field" }] }).message).toBe("no such field");
    expect(fail(400, { error_code: 1, error_msg: "no such field" }).message).toBe("no such field");
    expect(fail(400, { detail: { error: { message: "no such field" } } }).message).toBe("no such field");
    expect(fail(400, { error: { error: { error: { error: { error: { error: "deep" } } } } } }).message).toBe(
      "The upstream failed with status 400.",
    );
  });

  it("an error in a body that calls itself a success keeps its words", () => {
    const { decodeResponse } = protocols["openai-chat"];
    const said = (body: unknown) => {
      try {
        return decodeResponse(body);
      } catch (thrown) {
        return thrown;
      }
    };
    const base_resp = { status_code: 2013, status_msg: "invalid params, context window exceeds limit" };
    expect(said({ base_resp, choices: null })).toMatchObject({ code: "UPSTREAM_OVERFLOW" });
    expect(said({ error_code: 17, error_msg: "daily limit reached" })).toMatchObject({
      message: "daily limit reached",
    });
    expect(said({ anything: 1 })).toMatchObject({ code: "UPSTREAM_BROKEN", message: /not a chat completion/ });
  });
});
