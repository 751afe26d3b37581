// The official Anthropic client, through Midfold, to every kind of upstream.
import Anthropic from "@anthropic-ai/sdk";
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
    client: new Anthropic({ baseURL: through.url, apiKey: "any", maxRetries: 0 }),
    simulator: through.simulator,
  };
};
const model = "claude-opus-5-5";
const tools = [{ name: "read", description: "reads a file", input_schema: parameters }];
const hello = [{ role: "user" as const, content: "hi" }];

describe.each(upstreams)("@anthropic-ai/sdk to %s", (protocol) => {
  it("gets a whole message with usage", async () => {
    const { client, simulator } = await connect({ protocol, script: () => ({ text: words }) });
    const message = await client.messages.create({ model, max_tokens: 100, messages: hello });
    expect(message).toMatchObject({ type: "message", role: "assistant", stop_reason: "end_turn" });
    expect(message.content).toMatchObject([{ type: "text", text: words }]);
    expect(message.usage.output_tokens).toBeGreaterThan(0);
    expect(message.id).toMatch(/^msg_/);
    expect(simulator.counts.invalid).toBe(0);
  });

  it("streams text and parallel tool calls, and sends their results back", async () => {
    const { client, simulator } = await connect({
      protocol,
      script: (turn) =>
        turn.index > 0
          ? { text: "Both read." }
          : {
              text: words,
              calls: [
                { name: "read", input: { path: "a.txt" } },
                { name: "read", input: { path: "b.txt" } },
              ],
              stream: { interleaveCalls: true },
            },
    });
    const ask = { model, max_tokens: 500, messages: hello, tools };
    const message = await client.messages.stream(ask).finalMessage();
    expect(message.stop_reason).toBe("tool_use");
    const calls = message.content.filter((block) => block.type === "tool_use");
    expect(calls.map(({ input }) => input)).toEqual([{ path: "a.txt" }, { path: "b.txt" }]);
    expect(message.content.find((block) => block.type === "text")).toMatchObject({ text: words });
    const results = calls.map(({ id }, index) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content: index === 0 ? "contents" : [{ type: "text" as const, text: "no such file" }],
      is_error: index === 1,
    }));
    const again = await client.messages.create({
      ...ask,
      messages: [...hello, { role: "assistant", content: message.content }, { role: "user", content: results }],
    });
    expect(again.content).toMatchObject([{ type: "text", text: "Both read." }]);
    expect(simulator.counts).toMatchObject({ answered: 2, invalid: 0 });
    if (protocol !== "anthropic-messages") {
      expect(simulator.requests.at(-1)?.raw.toString()).toContain("Error: no such file");
    }
  });

  it("shows pictures", async () => {
    const { client, simulator } = await connect({ protocol });
    await client.messages.create({
      model,
      max_tokens: 50,
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
            { type: "text", text: "What is this?" },
          ],
        },
      ],
    });
    expect(simulator.counts).toMatchObject({ answered: 1, invalid: 0 });
    expect(simulator.requests.at(-1)?.raw.toString()).toContain(pixel);
  });

  it("raises the client's own error classes", async () => {
    const { client, simulator } = await connect({ protocol });
    simulator.failNext({ kind: "status", status: 429, retryAfter: "3600", message: "slow down" });
    const limited = await client.messages.create({ model, max_tokens: 5, messages: hello }).catch((error) => error);
    expect(limited).toBeInstanceOf(Anthropic.RateLimitError);
    expect(limited.headers.get("retry-after")).toBe("3600");
    const wrong = await client.messages
      .create({ model, max_tokens: 5, messages: [{ role: "user", content: 5 as never }] })
      .catch((error) => error);
    expect(wrong).toBeInstanceOf(Anthropic.BadRequestError);
    simulator.failNext({ kind: "error-event", afterFrames: 4, message: "it broke" });
    const broken = await client.messages
      .stream({ model, max_tokens: 100, messages: hello })
      .finalMessage()
      .catch((error) => error);
    expect(broken).toBeInstanceOf(Anthropic.APIError);
  });

  it("counts, and lists models", async () => {
    const { client } = await connect({ protocol, models: [model, "claude-haiku-4-5"] });
    const counted = await client.messages.countTokens({ model, messages: hello, tools });
    expect(counted.input_tokens).toBeGreaterThan(20);
    const listed = [];
    for await (const entry of client.models.list()) listed.push(entry.id);
    expect(listed).toContain(model);
    expect((await client.models.retrieve(model)).id).toBe(model);
  });

  it("takes what current Claude Code sends", async () => {
    const { client, simulator } = await connect({ protocol, laterSystem: true, unknownFields: "ignore" });
    const body = {
      model,
      max_tokens: 32_000,
      system: [
        { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.325;" },
        { type: "text", text: "You are Claude Code.", cache_control: { type: "ephemeral" } },
      ],
      messages: [
        { role: "user", content: [{ type: "text", text: "List the files." }] },
        {
          role: "system",
          content: [{ type: "text", text: "# Environment\nLinux" }],
          output_config: { effort: "medium" },
        },
      ],
      tools: [
        ...tools,
        { name: "ToolSearch", input_schema: parameters },
        { ...tools[0], name: "deferred", defer_loading: true },
      ],
      thinking: { type: "adaptive" },
      context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
      metadata: {
        user_id: JSON.stringify({ device_id: "d".repeat(60), account_uuid: "", session_id: "s".repeat(36) }),
      },
    };
    const message = await client.messages.stream(body as never, { query: { beta: "true" } }).finalMessage();
    expect(message.type).toBe("message");
    expect(simulator.counts).toMatchObject({ answered: 1, invalid: 0 });
    const sent = simulator.requests.at(-1)?.raw.toString() ?? "";
    expect(sent).toContain("# Environment");
    if (protocol !== "anthropic-messages") {
      expect(sent).not.toContain("billing-header");
      expect(sent).not.toContain('"deferred"');
    }
  });
});
