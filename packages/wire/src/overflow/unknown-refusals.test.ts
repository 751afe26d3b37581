import { describe, expect, it } from "vitest";
import { detectOverflow } from "./detect-overflow.ts";

const sizes = (message: string, status = 400) => detectOverflow({ status, message });
const strange = "The prompt of 12,500 tokens does not go into 8_192.";

describe("a refusal nobody has met before", () => {
  it("that speaks of sizes and names two of them is believed with care, the smaller one as the limit", () => {
    const found = { limit: 8192, input: 12_500, unconfirmed: true };
    expect(sizes(strange)).toEqual(found);
    expect(sizes("Limit 8192 tokens, got 12500.")).toEqual(found);
    expect(sizes("Limit 8192 tokens, got 12500 (8192 at most).")).toEqual(found);
    expect(sizes(strange, 422)).toEqual(found);
    expect(sizes(strange, 499)).toEqual(found);
  });

  it.each([200, 399, 413, 429, 500, 503])("is not about the conversation with status %i", (status) => {
    expect(sizes(strange, status)).toBeUndefined();
  });

  it("is not about the conversation without a status", () => {
    expect(detectOverflow({ message: strange })).toBeUndefined();
  });

  it.each([
    ["one number", "The prompt of 12500 tokens does not fit."],
    ["three numbers", "12500 tokens of 8192, at most 4096."],
    ["none", "The prompt does not fit."],
    ["numbers that are no sizes", "Error 1042 at line 2077."],
    ["a number too small for a window", "The prompt of 12500 tokens failed after 255 s."],
    ["a number too large for one", "The prompt of 12500 tokens failed, id 20000000."],
    ["a version beside one size", "The prompt of 12500 tokens failed in v1.2048.7-beta."],
    ["a limit of the answer", "max_tokens of 12500 is too large: at most 8192 tokens."],
    ["a rate", "Rate limit: 12500 tokens of 8192 tokens per min."],
  ])("with %s says nothing about the window", (_, message) => {
    expect(sizes(message)).toBeUndefined();
  });

  it("takes the smallest size that a window can have, and none above", () => {
    expect(sizes("The prompt of 300 tokens is over 256.")).toMatchObject({ limit: 256, input: 300 });
    expect(sizes("The prompt of 19999999 tokens is over 8192.")).toMatchObject({ limit: 8192, input: 19_999_999 });
  });

  it("is read in its first 8000 characters only", () => {
    expect(sizes(`${"x ".repeat(4000)}${strange}`)).toBeUndefined();
    expect(sizes(`${"x ".repeat(3900)}${strange}`)).toBeDefined();
  });
});

describe("a body that is too large in bytes", () => {
  it("is not a conversation that is too long, unless it names a limit in tokens", () => {
    expect(sizes("Payload too large. Reduce the length of the messages.", 413)).toBeUndefined();
    expect(sizes("Reduce the length of the messages.", 413)).toEqual({});
    expect(sizes("Payload too large. Reduce the length of the messages.", 400)).toEqual({});
    expect(sizes("Payload too large: maximum context length is 8192 tokens.", 413)).toEqual({ limit: 8192 });
  });
});

describe("sizes in fields", () => {
  it("are taken from the error or from the body itself", () => {
    const fields = { n_ctx: 8192, n_prompt_tokens: 9000 };
    expect(detectOverflow({ status: 400, body: { error: fields } })).toEqual({ limit: 8192, input: 9000 });
    expect(detectOverflow({ status: 400, body: fields })).toEqual({ limit: 8192, input: 9000 });
    expect(detectOverflow({ status: 400, body: { ...fields, error: "too long" } })).toEqual({
      limit: 8192,
      input: 9000,
    });
    expect(detectOverflow({ status: 400, body: { ...fields, error: null } })).toEqual({ limit: 8192, input: 9000 });
  });

  it("are no sizes where they are no numbers", () => {
    expect(detectOverflow({ status: 400, body: { n_ctx: "8192" } })).toBeUndefined();
    expect(detectOverflow({ status: 400, body: { n_ctx: 8192, n_prompt_tokens: "many" } })).toEqual({ limit: 8192 });
    expect(detectOverflow({ status: 400, body: null })).toBeUndefined();
    expect(detectOverflow({ status: 400, body: "n_ctx" })).toBeUndefined();
    expect(detectOverflow({ status: 400, body: {} })).toBeUndefined();
  });

  it("beside a code that says it all", () => {
    expect(detectOverflow({ code: "context_length_exceeded", body: { n_ctx: 8192 } })).toEqual({ limit: 8192 });
    expect(detectOverflow({ code: "other" })).toBeUndefined();
  });

  it("a size that a sentence leaves out is left out", () => {
    expect(sizes("request length 9000 is greater than max_seq_len 8192")).toEqual({ input: 9000, limit: 8192 });
    expect(sizes("request length 9000 + 500 is greater than max_seq_len 8192")).toEqual({
      input: 9000,
      output: 500,
      limit: 8192,
    });
  });
});
