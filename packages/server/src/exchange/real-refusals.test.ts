import { describe, expect, it } from "vitest";
import { kindOf, refused, run, type Said, taken, windowOf } from "./run-exchange.test-data.ts";
import { clampOutput } from "./window.ts";

/** vLLM since 0.15 stops counting once a prompt cannot fit: what it calls the prompt's size is only where it stopped. */
function stopsCounting(limit: number, counts: number, sentence: (limit: number, output: number) => string) {
  return ({ tokens, max }: Said) => {
    const output = max ?? 0;
    return Math.ceil(tokens * counts) + output > limit ? refused(sentence(limit, output)) : taken;
  };
}
const atLeast = (limit: number, output: number) =>
  `This model's maximum context length is ${limit} tokens. However, you requested ${output} output tokens and your prompt contains at least ${limit - output + 1} input tokens, for a total of at least ${limit + 1} tokens.`;
const passed = (limit: number, output: number) =>
  `You passed ${limit - output + 1} input tokens and requested ${output} output tokens. However, the model's context length is only ${limit} tokens, resulting in a maximum input length of ${limit - output} tokens. Please reduce the length of the input prompt.`;

describe("a refusal that names only where the upstream stopped counting", () => {
  it.each([
    ["vLLM 0.15", atLeast, 1],
    ["vLLM 0.16", passed, 1],
    ["vLLM 0.16 with a tokenizer that counts 5 % more", passed, 1.05],
    ["vLLM 0.16 with a tokenizer that counts 15 % more", passed, 1.15],
    ["vLLM 0.16 with a tokenizer that counts 40 % more", passed, 1.4],
  ] as const)(
    "is folded to the limit, not answered with a slightly shorter answer: %s",
    async (_, sentence, counts) => {
      const window = windowOf(32_768, { source: "guess", asked: 4_000 });
      const upstream = stopsCounting(16_384, counts, sentence);
      const { outcome, learned, compared, sent } = await run({ window, whole: 17_000, upstream });
      expect(kindOf(outcome)).toBe("whole");
      expect(learned.map(({ how, window: tokens }) => [how, tokens])).toContainEqual(["stated", 16_384]);
      expect(compared).toEqual([]);
      expect(sent.at(-1)!.tokens).toBeGreaterThan(6_000);
    },
  );

  it("still only lowers the limit on the answer where the input fits by itself", async () => {
    const window = windowOf(32_768, { source: "guess", asked: 8_000 });
    const { sent } = await run({ window, whole: 9_000, upstream: stopsCounting(16_384, 1, passed) });
    expect(sent.map(({ tokens }) => tokens)).toEqual([9_000, 9_000]);
    expect(sent[1]!.max).toBeGreaterThan(6_000);
  });
});

describe("a refusal that says by how much it is too long", () => {
  it("is folded by as much, however much that is", async () => {
    const upstream = ({ tokens }: Said) =>
      tokens > 8_000 ? refused(`prompt too long; exceeded max context length by ${tokens - 8_000} tokens`) : taken;
    const { sent, outcome, learned } = await run({ window: windowOf(131_072), whole: 60_000, upstream });
    expect([kindOf(outcome), sent.length]).toEqual(["whole", 2]);
    expect(sent[1]!.tokens).toBeGreaterThan(6_000);
    expect(learned.map(({ how }) => how)).toEqual(["concluded"]);
  });
});

describe("a refusal in words nobody knows", () => {
  it("that repeats the limit on the answer is not about the conversation", async () => {
    const upstream = ({ max }: Said) =>
      (max ?? 0) > 4_096 ? refused(`Token value out of bounds: got ${max}, upper bound 4096`) : taken;
    const { sent, learned, outcome } = await run({ window: windowOf(32_768, { asked: 8_192 }), whole: 900, upstream });
    expect([sent.length, learned, kindOf(outcome)]).toEqual([1, [], "failed"]);
  });

  it("is checked against what was sent in every try", async () => {
    const upstream = (_: Said, at: number) =>
      at === 0
        ? refused("prompt is too long: 12000 tokens > 8000 maximum")
        : refused("Input of tool 77777 is wrong at 300");
    const { sent, learned } = await run({ window: windowOf(20_000), whole: 12_000, upstream });
    expect(sent).toHaveLength(2);
    expect(learned.map(({ window }) => window)).toEqual([8_000]);
  });
});

describe("a limit on the answer that is lower than what the client asks for", () => {
  const window = windowOf(131_072, { asked: 32_000, reserve: 8_000, maxOutput: 32_000 });
  const refusesAnswersOver =
    (limit: number, sentence: string) =>
    ({ max }: Said) =>
      (max ?? 0) > limit ? refused(sentence) : taken;

  it.each([
    ["Anthropic", 8192, "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude"],
    [
      "OpenAI",
      4096,
      "max_tokens is too large: 32000. This model supports at most 4096 completion tokens, whereas you provided 32000.",
    ],
    [
      "Bedrock",
      8192,
      "The maximum tokens you requested exceeds the model limit of 8192. Try again with a maximum tokens value that is lower than 8192.",
    ],
    ["DeepSeek", 8192, "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"],
    ["DashScope", 8192, "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]"],
    [
      "Doubao",
      4096,
      "The parameter `max_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 4096, but got 32000 instead.",
    ],
    [
      "Gemini",
      8192,
      "Unable to submit request because it has a maxOutputTokens value of 32000 but the supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and try again.",
    ],
    [
      "Groq",
      8192,
      "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
    ],
    ["Together", 8192, "max_new_tokens must be <= 8192. Given: 32000"],
    ["Mistral", 16384, "max_tokens (32000) must be at most 16384"],
  ])("is kept in a second request, and from then on: %s", async (_, limit, sentence) => {
    const { sent, learned, outcome } = await run({ window, whole: 900, upstream: refusesAnswersOver(limit, sentence) });
    expect(sent).toEqual([
      { tokens: 900, max: 32_000 },
      { tokens: 900, max: limit },
    ]);
    expect(learned).toEqual([{ how: "answer", window: limit, evidence: expect.stringContaining(`${limit}`) }]);
    expect(outcome).toMatchObject({ refusals: 0, attempts: 2, maxOutput: limit, opened: { kind: "whole" } });
    expect(clampOutput({ ...window, answerLimit: limit }, 900, 0)).toBe(limit);
  });

  it("is not learned where the second request is refused as well, which is the last one", async () => {
    const { sent, learned, outcome } = await run({
      ...{ window, whole: 900 },
      upstream: () => refused("max_tokens must be <= 8192"),
    });
    expect([sent.length, learned, kindOf(outcome)]).toEqual([2, [], "failed"]);
  });

  it.each([
    ["a least one", "max_tokens must be at least 64000"],
    ["one that is not lower", "max_tokens must be <= 64000"],
    ["one for answers that are not streamed", "Requests with max_tokens > 5000 must have stream=true"],
    ["one of thinking", "`max_tokens` must be greater than `thinking.budget_tokens`"],
  ])("is not read out of %s", async (_, sentence) => {
    const { sent } = await run({ window, whole: 900, upstream: () => refused(sentence) });
    expect(sent).toHaveLength(1);
  });

  it("is the client's to deal with where nothing may be changed", async () => {
    const upstream = refusesAnswersOver(8_192, "max_tokens must be <= 8192");
    expect((await run({ window, whole: 900, mayFold: false, upstream })).sent).toHaveLength(1);
  });
});
