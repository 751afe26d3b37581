import { isMidfoldError, type SummaryRequest } from "@midfold/core";
import { defaultSummaryModel } from "@midfold/core/chat";
import { type SimulatedProtocol, type SimulatorOptions, startSimulator } from "@midfold/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { protocols } from "../protocols/protocols.ts";
import { traitsOf } from "../traits/traits-of.ts";
import { createUpstreamClient } from "../upstream/upstream-client.ts";
import { createModelSummarizer, type ModelSummarizerOptions } from "./model-summarizer.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const request: SummaryRequest = { prompt: "Summarize: the user wants a red bicycle.", messages: [], maxTokens: 500 };
const key = "sk-live-0123456789abcdef";

async function start(
  protocol: SimulatedProtocol,
  simulate: Omit<SimulatorOptions, "protocol"> = {},
  options: Partial<ModelSummarizerOptions> = {},
) {
  const simulator = await startSimulator({ protocol, apiKey: key, ...simulate });
  const client = createUpstreamClient({ random: () => 0 });
  cleanups.push(
    () => simulator.close(),
    () => client.close(),
  );
  const anthropic = protocol === "anthropic-messages";
  const summarizer = createModelSummarizer({
    client,
    upstream: {
      name: "provider",
      baseUrl: anthropic ? simulator.url : `${simulator.url}/v1`,
      headers: anthropic ? { "x-api-key": key, "anthropic-version": "2023-06-01" } : { authorization: `Bearer ${key}` },
    },
    protocol: protocols[protocol],
    traits: traitsOf(anthropic ? "anthropic" : "openai"),
    models: ["small-model"],
    ...options,
  });
  return { simulator, summarizer };
}

describe.each(["openai-chat", "anthropic-messages", "openai-responses"] as const)("over %s", (protocol) => {
  test("asks one user turn, without tools, thinking or stream, and returns the text with its cost", async () => {
    const { simulator, summarizer } = await start(protocol, { script: () => ({ text: "A red bicycle is wanted." }) });
    const result = await summarizer.summarize(request);
    expect(result).toMatchObject({ text: "A red bicycle is wanted.", finish: "complete" });
    expect(result.usage?.inputTokens).toBeGreaterThan(0);
    const body = simulator.requests[0]?.body as Record<string, unknown>;
    expect(body).toMatchObject({ model: "small-model", stream: false });
    expect(JSON.stringify(body)).toContain(request.prompt);
    expect(JSON.stringify(body)).toContain("500");
    for (const field of ["tools", "thinking", "reasoning", "reasoning_effort"]) expect(body).not.toHaveProperty(field);
    expect(simulator.counts.invalid).toBe(0);
  });

  test.each([
    ["cut-off", { text: "half", finish: "length" }],
    ["tool-call", { calls: [{ name: "search", input: {} }] }],
  ] as const)("says when the answer is %s", async (finish, reply) => {
    const { summarizer } = await start(protocol, { script: () => reply });
    expect((await summarizer.summarize(request)).finish).toBe(finish);
  });

  test("a prompt over the window is CONTEXT_OVERFLOW, so that it is tried with less", async () => {
    const { summarizer } = await start(protocol, { window: 20 });
    const error = await summarizer.summarize({ ...request, prompt: "word ".repeat(200) }).catch((reason) => reason);
    expect(error).toMatchObject({ code: "CONTEXT_OVERFLOW" });
  });

  test("a model the provider no longer has is replaced by the next", async () => {
    const { simulator, summarizer } = await start(
      protocol,
      { models: ["large-model"], script: () => ({ text: "done" }) },
      { models: ["small-model", "large-model"] },
    );
    expect(await summarizer.summarize(request)).toMatchObject({ text: "done" });
    expect(simulator.requests.length).toBe(2);
  });

  test("a wrong key is named without the key, and not retryable", async () => {
    const { summarizer } = await start(protocol, { apiKey: "sk-other-key-000000000" });
    const error = await summarizer.summarize(request).catch((reason) => reason);
    expect(isMidfoldError(error)).toBe(true);
    expect(error.retryable).toBe(false);
    expect(`${error.message}${JSON.stringify(error.details)}`).not.toContain(key);
  });

  test("an answer that is no JSON is UPSTREAM_BROKEN", async () => {
    const { simulator, summarizer } = await start(protocol);
    simulator.failNext({ kind: "not-json" });
    const error = await summarizer.summarize(request).catch((reason) => reason);
    expect(isMidfoldError(error, "UPSTREAM_BROKEN")).toBe(true);
  });
});

test("the model a request names is asked first", async () => {
  const { simulator, summarizer } = await start("openai-chat", { script: () => ({ text: "done" }) });
  await summarizer.summarize({ ...request, model: "google/gemini-2.0-flash-001" });
  expect(simulator.requests[0]?.body).toMatchObject({ model: "google/gemini-2.0-flash-001" });
});

test.each(["openai-chat", "anthropic-messages"] as const)("says when %s refuses", async (protocol) => {
  const { summarizer } = await start(protocol, { script: () => ({ text: "I will not.", finish: "refusal" }) });
  expect((await summarizer.summarize(request)).finish).toBe("refused");
});

test("a model that thinks unasked is told to think little and given room for it", async () => {
  const { simulator, summarizer } = await start("openai-chat", {}, { models: ["gpt-5-mini"] });
  await summarizer.summarize(request);
  expect(simulator.requests[0]?.body).toMatchObject({ reasoning_effort: "low", max_completion_tokens: 4_596 });
});

test("gives up after its time, and at once when cancelled", async () => {
  const slow = await start("openai-chat", {}, { timeoutMs: 80 });
  slow.simulator.failNext({ kind: "silence" });
  const late = await slow.summarizer.summarize(request).catch((reason) => reason);
  expect(isMidfoldError(late, "UPSTREAM_TIMEOUT")).toBe(true);

  const cancel = new AbortController();
  const cancelled = await start("openai-chat");
  cancelled.simulator.failNext({ kind: "silence" });
  const pending = cancelled.summarizer.summarize(request, cancel.signal).catch((reason) => reason);
  await cancelled.simulator.waitFor(({ requests }) => requests.length === 1);
  cancel.abort();
  expect(isMidfoldError(await pending, "ABORTED")).toBe(true);
  await cancelled.simulator.waitFor(({ counts }) => counts.aborted === 1);
});

test.each([
  ["openai-chat", "openai", "gpt-4o-mini"],
  ["anthropic-messages", "anthropic", "claude-3-haiku-20240307"],
  ["openai-chat", "google", "gemini-2.5-flash"],
] as const)("over %s, %s's default %s is asked, and the conversation's own model when it is gone", async (...row) => {
  const [protocol, provider, expected] = row;
  const models = [defaultSummaryModel(provider) ?? "", "own-model"] as const;
  const { simulator, summarizer } = await start(protocol, { models: ["own-model"] }, { models });
  await summarizer.summarize(request);
  expect(simulator.requests.map(({ body }) => (body as { model: string }).model)).toEqual([expected, "own-model"]);
});
