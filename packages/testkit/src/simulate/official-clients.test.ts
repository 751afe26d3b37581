// The simulators are only worth something if the providers' own clients take them for the real thing.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, jsonSchema, type ModelMessage, stepCountIs, streamText, tool } from "ai";
import fc from "fast-check";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { arbitraryWireConversation } from "../generate/arbitrary-conversation.ts";
import type { Reply } from "./reply.ts";
import type { Simulator, SimulatorOptions } from "./simulator.ts";
import { startSimulator } from "./start-simulator.ts";

const open: Simulator[] = [];
const start = async (options: SimulatorOptions) => {
  const simulator = await startSimulator(options);
  open.push(simulator);
  return simulator;
};
afterEach(async () => {
  for (const simulator of open.splice(0)) await simulator.close();
});

const words = "Grüße 🚀, 这是 a stream of words that spans several deltas.";
const twoCalls: Reply = {
  thoughts: [{ text: "I need both files." }],
  text: words,
  calls: [
    { name: "read", input: { path: "a.txt" } },
    { name: "read", input: { path: "b.txt" } },
  ],
};
const parameters = { type: "object" as const, properties: { path: { type: "string" as const } }, required: ["path"] };

describe("@anthropic-ai/sdk", () => {
  const connect = (simulator: Simulator) => new Anthropic({ baseURL: simulator.url, apiKey: "k", maxRetries: 0 });
  const tools = [{ name: "read", description: "reads", input_schema: parameters }];
  const ask = { model: "claude-sim", max_tokens: 100, messages: [{ role: "user" as const, content: "hi" }], tools };

  test("streams thinking, text and parallel calls, and takes them back", async () => {
    const simulator = await start({ protocol: "anthropic-messages", script: () => twoCalls });
    const client = connect(simulator);
    const message = await client.messages.stream(ask).finalMessage();
    expect(message.content.map((block) => block.type)).toEqual(["thinking", "text", "tool_use", "tool_use"]);
    expect(message.content[1]).toMatchObject({ text: words });
    expect(message.content[3]).toMatchObject({ input: { path: "b.txt" } });
    expect(message.stop_reason).toBe("tool_use");
    expect(message.usage.input_tokens).toBe(simulator.requests[0]?.outcome.inputTokens);
    const results = message.content.flatMap((block) =>
      block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "x" }] : [],
    );
    const again = await client.messages.create({
      ...ask,
      messages: [...ask.messages, { role: "assistant", content: message.content }, { role: "user", content: results }],
    });
    expect(again.content[0]?.type).toBe("thinking");
    expect(simulator.counts).toMatchObject({ requests: 2, answered: 2, invalid: 0 });
  });

  test("a tool loop that loses its thinking is refused", async () => {
    const simulator = await start({ protocol: "anthropic-messages", script: () => twoCalls });
    const client = connect(simulator);
    const message = await client.messages.create(ask);
    const content = message.content.filter((block) => block.type !== "thinking");
    const results = content.flatMap((block) =>
      block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id }] : [],
    );
    const body = {
      ...ask,
      thinking: { type: "adaptive" as const },
      messages: [...ask.messages, { role: "assistant" as const, content }, { role: "user" as const, content: results }],
    };
    await expect(client.messages.create(body)).rejects.toThrow("cannot be modified");
  });

  test("counts tokens and lists models", async () => {
    const simulator = await start({ protocol: "anthropic-messages", window: 32_000, models: ["claude-sim"] });
    const client = connect(simulator);
    const { input_tokens } = await client.messages.countTokens({ model: ask.model, messages: ask.messages });
    const { usage } = await client.messages.create({ model: ask.model, max_tokens: 9, messages: ask.messages });
    expect(usage.input_tokens).toBe(input_tokens);
    const models = await client.models.list();
    expect(models.data[0]).toMatchObject({ id: "claude-sim", max_input_tokens: 32_000 });
  });

  test("overflows with the sentence clients look for", async () => {
    const simulator = await start({ protocol: "anthropic-messages", window: 100 });
    const long = { ...ask, messages: [{ role: "user" as const, content: "word ".repeat(500) }] };
    const tokens = (await connect(simulator).messages.countTokens({ model: ask.model, messages: long.messages, tools }))
      .input_tokens;
    await expect(connect(simulator).messages.create(long)).rejects.toMatchObject({
      status: 400,
      error: {
        error: { type: "invalid_request_error", message: `prompt is too long: ${tokens} tokens > 100 maximum` },
      },
    });
    expect(simulator.counts).toMatchObject({ overflows: 1, invalid: 0 });
  });
});

function withoutHelperFields(item: object): OpenAI.Responses.ResponseInputItem {
  return JSON.parse(JSON.stringify(item, (key, value) => (key.startsWith("parsed") ? undefined : value)));
}

describe("openai", () => {
  const connect = (simulator: Simulator) => new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: "k", maxRetries: 0 });

  test.each([{}, { interleaveCalls: true }, { oneChunk: true }, { writeBytes: 3 }])(
    "chat streams %j",
    async (stream) => {
      const simulator = await start({
        protocol: "openai-chat",
        script: () => ({ ...twoCalls, stream: { deltaChars: 5, ...stream } }),
      });
      const completion = await connect(simulator)
        .chat.completions.stream({
          model: "sim",
          messages: [{ role: "user", content: "hi" }],
          tools: [{ type: "function", function: { name: "read", parameters } }],
          stream_options: { include_usage: true },
        })
        .finalChatCompletion();
      const [choice] = completion.choices;
      expect(choice?.message.content).toBe(words);
      expect(choice?.message.tool_calls?.map((call) => call.type === "function" && call.function.arguments)).toEqual([
        '{"path":"a.txt"}',
        '{"path":"b.txt"}',
      ]);
      expect(choice?.finish_reason).toBe("tool_calls");
      expect(completion.usage?.prompt_tokens).toBe(simulator.requests[0]?.outcome.inputTokens);
    },
  );

  test("chat answers JSON and refuses unknown arguments", async () => {
    const simulator = await start({ protocol: "openai-chat" });
    const messages = [{ role: "user" as const, content: "hi" }];
    const completion = await connect(simulator).chat.completions.create({ model: "sim", messages });
    expect(completion.choices[0]?.message.content).toBe("ok");
    const odd = { model: "sim", messages, hologram: 1 };
    await expect(connect(simulator).chat.completions.create(odd)).rejects.toThrow(
      "Unrecognized request argument supplied: hologram",
    );
  });

  test("responses stream, remember, count and compact", async () => {
    const simulator = await start({ protocol: ["openai-responses", "openai-chat"], script: () => twoCalls });
    const client = connect(simulator);
    const stream = client.responses.stream({
      model: "sim",
      input: "hi",
      tools: [{ type: "function", name: "read", parameters, strict: false }],
    });
    const types = new Set<string>();
    for await (const event of stream) types.add(event.type);
    const response = await stream.finalResponse();
    expect(types).toContain("response.reasoning_summary_text.delta");
    expect(response.output_text).toBe(words);
    expect(response.output.map((item) => item.type)).toEqual([
      "reasoning",
      "message",
      "function_call",
      "function_call",
    ]);
    simulator.setScript(() => ({ text: "fine" }));
    const outputs = response.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "x" }]
        : [],
    );
    const next = await client.responses.create({ model: "sim", previous_response_id: response.id, input: outputs });
    expect(next.output_text).toBe("fine");
    // The streaming helper adds a field of its own, which the real API refuses too.
    const said = response.output.map((item) => withoutHelperFields(item));
    const whole = [{ role: "user" as const, content: "hi" }, ...said, ...outputs];
    expect((await client.responses.create({ model: "sim", input: whole, store: false })).output_text).toBe("fine");
    const count = await client.responses.inputTokens.count({ model: "sim", input: "hi" });
    expect(count.input_tokens).toBeGreaterThan(0);
    const compacted = await client.responses.compact({ model: "gpt-5", input: whole });
    expect(compacted.output.map((item) => item.type)).toContain("compaction");
    const lost = [{ role: "user" as const, content: "hi" }, ...said.slice(1), ...outputs];
    await expect(client.responses.create({ model: "sim", input: lost })).rejects.toThrow(
      "without its required 'reasoning' item",
    );
  });

  test("responses overflow inside the stream", async () => {
    const simulator = await start({ protocol: "openai-responses", window: 50 });
    const stream = await connect(simulator).responses.create({
      model: "sim",
      input: "word ".repeat(200),
      stream: true,
    });
    let last: unknown;
    for await (const event of stream) last = event;
    expect(last).toMatchObject({ type: "response.failed", response: { error: { code: "context_length_exceeded" } } });
    expect(simulator.counts.overflows).toBe(1);
  });
});

describe("the AI SDK", () => {
  const models = {
    "anthropic-messages": (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "k" })("claude-sim"),
    "openai-chat": (url: string) =>
      createOpenAICompatible({ name: "sim", baseURL: `${url}/v1`, apiKey: "k", includeUsage: true })("sim"),
    "openai-responses": (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "k" }).responses("sim"),
  };

  test.each(Object.keys(models) as (keyof typeof models)[])("runs a tool loop over %s", async (protocol) => {
    let asked = 0;
    // Chat completions have no field for reasoning that a strict server would take back.
    const thoughts = protocol === "openai-chat" ? {} : { thoughts: [{ text: "hm" }] };
    const simulator = await start({
      protocol,
      script: () =>
        asked++ < 3
          ? { ...thoughts, text: "step", calls: twoCalls.calls ?? [], stream: { deltaChars: 3 } }
          : { text: words },
    });
    const paths: string[] = [];
    const read = tool({
      description: "reads",
      inputSchema: jsonSchema<{ path: string }>(parameters),
      execute: async ({ path }) => {
        paths.push(path);
        return "contents";
      },
    });
    const result = streamText({
      model: models[protocol](simulator.url),
      prompt: "go",
      tools: { read },
      stopWhen: stepCountIs(9),
    });
    expect(await result.text).toBe(words);
    expect(paths).toEqual(["a.txt", "b.txt", "a.txt", "b.txt", "a.txt", "b.txt"]);
    expect(simulator.counts).toMatchObject({ requests: 4, answered: 4, invalid: 0 });
  });
});

describe("generated AI SDK messages", () => {
  test("are taken by the SDK, and what it makes of them is taken by the providers", async () => {
    const simulator = await start({ protocol: ["anthropic-messages", "openai-responses"] });
    const models = [
      createAnthropic({ baseURL: `${simulator.url}/v1`, apiKey: "k" })("claude-opus-4-5"),
      createOpenAI({ baseURL: `${simulator.url}/v1`, apiKey: "k" }).responses("gpt-5"),
    ];
    // Addresses are fetched, hosted tools need definitions, few providers take text files, and the SDK itself loses a
    // tool called "constructor": none of that is about the shape of the messages.
    const switches = { images: false, files: false, hostedTools: false, reasoning: false, inheritedNames: false };
    const conversations = fc.sample(arbitraryWireConversation("ai-sdk", { valid: true, maxChars: 80, switches }), 25);
    for (const { messages } of conversations) {
      for (const model of models) {
        const asked = {
          model,
          messages: messages as unknown as ModelMessage[],
          allowSystemInMessages: true,
          maxRetries: 0,
        };
        expect((await generateText(asked)).text).toBe("ok");
      }
    }
    expect(simulator.counts).toMatchObject({ requests: 50, answered: 50, invalid: 0 });
  });
});
