// The official OpenAI client, both its APIs, through Midfold, to every kind of upstream.
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { parameters, pixel, startThrough, type ThroughMidfold, upstreams, words } from "./through-midfold.test-data.ts";

let through: ThroughMidfold | undefined;
afterEach(async () => {
  await through?.close();
  through = undefined;
});

const connect = async (...args: Parameters<typeof startThrough>) => {
  through = await startThrough(...args);
  return {
    client: new OpenAI({ baseURL: `${through.url}/v1`, apiKey: "any", maxRetries: 0 }),
    simulator: through.simulator,
  };
};
const model = "gpt-4o";
const hello = [{ role: "user" as const, content: "hi" }];
const twoCalls = {
  text: words,
  calls: [
    { name: "read", input: { path: "a.txt" } },
    { name: "read", input: { path: "b.txt" } },
  ],
};

describe.each(upstreams)("openai chat completions to %s", (protocol) => {
  const tools = [{ type: "function" as const, function: { name: "read", description: "reads", parameters } }];

  it("gets a whole completion with usage", async () => {
    const { client } = await connect({ protocol, script: () => ({ text: words }) });
    const completion = await client.chat.completions.create({ model, messages: hello });
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { role: "assistant", content: words },
    });
    expect(completion.usage?.total_tokens).toBeGreaterThan(0);
  });

  it("streams parallel calls and usage, and sends results back", async () => {
    const { client, simulator } = await connect({
      protocol,
      // The SDK adds fields of its own to what it parsed, and sends them back.
      unknownFields: "ignore",
      script: (turn) => (turn.index > 0 ? { text: "Both read." } : twoCalls),
    });
    const stream = client.chat.completions.stream({
      model,
      messages: hello,
      tools,
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    const message = final.choices[0]?.message;
    expect(final.choices[0]?.finish_reason).toBe("tool_calls");
    expect(message?.tool_calls?.map((call) => call.type === "function" && call.function.arguments)).toEqual([
      '{"path":"a.txt"}',
      '{"path":"b.txt"}',
    ]);
    expect(final.usage?.prompt_tokens).toBeGreaterThan(0);
    const results = (message?.tool_calls ?? []).map(({ id }) => ({
      role: "tool" as const,
      tool_call_id: id,
      content: "x",
    }));
    const again = await client.chat.completions.create({
      model,
      tools,
      messages: [...hello, message as never, ...results],
    });
    expect(again.choices[0]?.message.content).toBe("Both read.");
    expect(simulator.counts).toMatchObject({ answered: 2, invalid: 0 });
  });

  it("shows pictures and keeps errors its own", async () => {
    const { client, simulator } = await connect({ protocol, script: () => ({ text: words }) });
    const url = `data:image/png;base64,${pixel}`;
    const content = [
      { type: "text" as const, text: "What?" },
      { type: "image_url" as const, image_url: { url } },
    ];
    await client.chat.completions.create({ model, messages: [{ role: "user", content }] });
    expect(simulator.counts).toMatchObject({ answered: 1, invalid: 0 });
    simulator.failNext({ kind: "status", status: 429, retryAfter: "60" });
    const limited = await client.chat.completions.create({ model, messages: hello }).catch((error) => error);
    expect(limited).toBeInstanceOf(OpenAI.RateLimitError);
    simulator.failNext({ kind: "cut", afterFrames: 3 });
    const cut = await client.chat.completions
      .stream({ model, messages: hello })
      .finalChatCompletion()
      .catch((error) => error);
    expect(cut).toBeInstanceOf(OpenAI.APIError);
  });

  it("lists models", async () => {
    const { client } = await connect({ protocol, models: [model] });
    const ids = [];
    for await (const entry of client.models.list()) ids.push(entry.id);
    expect(ids).toContain(model);
    expect((await client.models.retrieve(model)).id).toBe(model);
  });
});

describe.each(upstreams)("openai responses to %s", (protocol) => {
  const tools = [{ type: "function" as const, name: "read", description: "reads", parameters, strict: false }];

  it("gets a whole response with usage", async () => {
    const { client } = await connect({ protocol, script: () => ({ text: words }) });
    const response = await client.responses.create({ model, input: "hi", store: false });
    expect(response.output_text).toBe(words);
    expect(response.status).toBe("completed");
    expect(response.usage?.total_tokens).toBeGreaterThan(0);
  });

  it("streams parallel calls, and sends results back", async () => {
    const { client, simulator } = await connect({
      protocol,
      // The SDK adds fields of its own to what it parsed, and sends them back.
      unknownFields: "ignore",
      script: (turn) => (turn.index > 0 ? { text: "Both read." } : twoCalls),
    });
    const input = [{ type: "message" as const, role: "user" as const, content: "read both" }];
    const first = await client.responses.stream({ model, input, tools, store: false }).finalResponse();
    const calls = first.output.filter((item) => item.type === "function_call");
    expect(calls.map((call) => call.arguments)).toEqual(['{"path":"a.txt"}', '{"path":"b.txt"}']);
    const outputs = calls.map(({ call_id }) => ({ type: "function_call_output" as const, call_id, output: "x" }));
    const again = await client.responses.create({
      model,
      tools,
      store: false,
      input: [...input, ...(first.output as never[]), ...outputs],
    });
    expect(again.output_text).toBe("Both read.");
    expect(simulator.counts).toMatchObject({ answered: 2, invalid: 0 });
  });

  it("fails inside the stream when nothing can make it fit, as Codex expects", async () => {
    const { client } = await connect({ protocol, window: 600 }, { window: 600 });
    const events: string[] = [];
    const failed = await (async () => {
      const stream = await client.responses.create({ model, input: "word ".repeat(3_000), stream: true, store: false });
      for await (const event of stream) {
        events.push(event.type);
        if (event.type === "response.failed") return event.response.error?.code;
      }
      return undefined;
    })();
    expect(events.at(-1)).toBe("response.failed");
    expect(failed).toBe("context_length_exceeded");
  });

  it("counts input tokens", async () => {
    const { client } = await connect({ protocol });
    const counted = await client.responses.inputTokens.count({ model, input: "How many tokens is this?" });
    expect(counted.input_tokens).toBeGreaterThan(5);
  });
});
