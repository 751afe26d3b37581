// The AI SDK's three providers through Midfold: the strictest reader of streams among the clients.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, type LanguageModel, type ModelMessage, stepCountIs, streamText, tool } from "ai";
import { afterEach, describe, expect, it } from "vitest";
import { parameters, startThrough, type ThroughMidfold, upstreams, words } from "./through-midfold.test-data.ts";

let through: ThroughMidfold | undefined;
afterEach(async () => {
  await through?.close();
  through = undefined;
});

const clients: Readonly<Record<string, (url: string) => LanguageModel>> = {
  "@ai-sdk/anthropic": (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "any" })("claude-sonnet-4-5"),
  "@ai-sdk/openai responses": (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "any" }).responses("gpt-4o"),
  "@ai-sdk/openai chat": (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "any" }).chat("gpt-4o"),
  "@ai-sdk/openai-compatible": (url) => createOpenAICompatible({ name: "m", baseURL: `${url}/v1` })("gpt-4o"),
};
const pairs = Object.keys(clients).flatMap((client) => upstreams.map((upstream) => [client, upstream] as const));

describe.each(pairs)("%s to %s", (client, protocol) => {
  it("runs a tool loop with interleaved parallel calls, streamed and whole", async () => {
    through = await startThrough({
      protocol,
      script: (turn) =>
        turn.messages.some(({ results }) => results.length > 0)
          ? { text: words }
          : {
              calls: [
                { name: "read", input: { path: "a.txt" } },
                { name: "read", input: { path: "b.txt" } },
              ],
              stream: { interleaveCalls: true },
            },
    });
    const model = (clients[client] as (url: string) => LanguageModel)(through.url);
    const paths: string[] = [];
    const tools = {
      read: tool({
        description: "reads",
        inputSchema: jsonSchema<{ path: string }>(parameters),
        execute: async ({ path }) => {
          paths.push(path);
          return `contents of ${path}`;
        },
      }),
    };
    const options = {
      model,
      tools,
      prompt: "Read both.",
      stopWhen: stepCountIs(3),
      maxRetries: 0,
      maxOutputTokens: 500,
    };
    const streamed = streamText(options);
    expect(await streamed.text).toBe(words);
    expect(paths.sort()).toEqual(["a.txt", "b.txt"]);
    expect(await streamed.finishReason).toBe("stop");
    const whole = await generateText(options);
    expect(whole.text).toBe(words);
    expect(whole.totalUsage.inputTokens).toBeGreaterThan(0);
    expect(through.simulator.counts.invalid).toBe(0);
  });
});

// It refers to what the model said by the id of the item, instead of sending it again.
describe.each(["openai-chat", "anthropic-messages"] as const)("@ai-sdk/openai responses to %s", (protocol) => {
  it("a later turn shows the model what it said itself", async () => {
    through = await startThrough({ protocol, script: () => ({ text: "The code word is MERGANSER." }) });
    const model = (clients["@ai-sdk/openai responses"] as (url: string) => LanguageModel)(through.url);
    const messages: ModelMessage[] = [{ role: "user", content: "Say the code word." }];
    for (let turn = 0; turn < 3; turn++) {
      const streamed = streamText({ model, messages, maxRetries: 0, maxOutputTokens: 500 });
      await streamed.consumeStream();
      messages.push(...(await streamed.response).messages, { role: "user", content: `Again, ${turn}.` });
    }
    const last = through.simulator.requests.filter(({ method }) => method === "POST").at(-1);
    expect(JSON.stringify(last?.body).split("MERGANSER")).toHaveLength(3);
  });
});
