import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getCounter, type Message, type ToolDefinition } from "@midfold/core";
import { afterEach, describe, expect, it } from "vitest";
import { createAnthropicCount } from "./anthropic-count.ts";
import { countRequest } from "./count-request.ts";
import { createGeminiCount } from "./gemini-count.ts";

interface Call {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}

type Answer = (call: Call, response: ServerResponse) => void;

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A provider on the loopback interface, reached through its official SDK. */
async function serve(answer: Answer): Promise<{ baseUrl: string; calls: Call[] }> {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const call = {
      url: request.url ?? "",
      headers: request.headers,
      body: JSON.parse(text) as Record<string, unknown>,
    };
    calls.push(call);
    answer(call, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

const json = (status: number, body: unknown): Answer => {
  return (_, response) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

const messages: Message[] = [
  { role: "system", parts: [{ type: "text", text: "You book trains." }] },
  { role: "user", parts: [{ type: "text", text: "Two seats to Lyon" }], source: { role: "user", content: "OpenAI's" } },
  { role: "assistant", parts: [{ type: "tool-call", id: "call_1", name: "find", input: '{"to":"Lyon"}' }] },
  {
    role: "tool",
    parts: [{ type: "tool-result", callId: "call_1", content: [{ type: "text", text: "08:15, 09:40" }] }],
  },
];
const tools: ToolDefinition[] = [
  { name: "find", description: "Finds trains", schema: { type: "object", properties: { to: { type: "string" } } } },
];
const local = getCounter("claude-sonnet-4-5");
const here = local.countMessages(messages) + local.countTools(tools);

describe("Anthropic's count", () => {
  const request = { model: "claude-sonnet-4-5", messages, tools };

  it("sends the request the Messages API would get, and nothing that counting refuses", async () => {
    const { baseUrl, calls } = await serve(json(200, { input_tokens: 417 }));
    const provider = createAnthropicCount({ apiKey: "test-key", baseUrl });
    expect(await countRequest(request, { local, provider })).toEqual({ tokens: 417, countedBy: "provider" });
    const [call] = calls;
    expect(call?.url).toBe("/v1/messages/count_tokens");
    expect(call?.headers.authorization).toBe("Bearer test-key");
    expect(Object.keys(call?.body ?? {}).sort()).toEqual(["messages", "model", "system", "tools"]);
    expect(call?.body.system).toBe("You book trains.");
    expect(call?.body.messages).toEqual([
      { role: "user", content: "Two seats to Lyon" },
      { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "find", input: { to: "Lyon" } }] },
      { role: "user", content: [expect.objectContaining({ type: "tool_result", tool_use_id: "call_1" })] },
    ]);
    expect(call?.body.tools).toEqual([
      expect.objectContaining({ name: "find", description: "Finds trains", input_schema: tools[0]?.schema }),
    ]);
  });

  it("tells the provider which tool must be called, and counts that here too", async () => {
    const { baseUrl, calls } = await serve(json(200, { input_tokens: 417 }));
    const provider = createAnthropicCount({ apiKey: "test-key", baseUrl });
    const forced = { ...request, toolChoice: { type: "tool", name: "find" } } as const;
    await countRequest(forced, { local, provider });
    expect(calls[0]?.body.tool_choice).toEqual({ type: "tool", name: "find" });
    expect((await countRequest(forced, { local })).tokens).toBe(here + 92);
  });

  it.each([
    ["refuses", json(401, { type: "error", error: { type: "authentication_error", message: "no" } })],
    ["is overloaded", json(529, { type: "error", error: { type: "overloaded_error", message: "busy" } })],
    ["answers nonsense", json(200, { input_tokens: "many" })],
    ["breaks off", (_: Call, response: ServerResponse) => void response.destroy()],
  ])("counts here when the provider %s, after one try", async (_, answer) => {
    const { baseUrl, calls } = await serve(answer);
    const provider = createAnthropicCount({ apiKey: "test-key", baseUrl });
    const result = await countRequest(request, { local, provider });
    expect(result).toMatchObject({ tokens: here, countedBy: "local" });
    expect(result.failure).toBeInstanceOf(Error);
    expect(calls).toHaveLength(1);
  });

  it("counts here when the provider does not answer in time, or the caller is gone", async () => {
    const { baseUrl } = await serve(() => {});
    const provider = createAnthropicCount({ apiKey: "test-key", baseUrl });
    expect(await countRequest(request, { local, provider, timeoutMs: 50 })).toMatchObject({ countedBy: "local" });
    const signal = AbortSignal.abort();
    expect(await countRequest(request, { local, provider, signal })).toMatchObject({ countedBy: "local" });
  });

  it("counts here without a provider", async () => {
    expect(await countRequest(request, { local })).toEqual({ tokens: here, countedBy: "local" });
  });
});

describe("Gemini's count", () => {
  const request = { model: "gemini-2.5-pro", messages, tools };

  it("sends tools, system prompt and turns as contents", async () => {
    const { baseUrl, calls } = await serve(json(200, { totalTokens: 61 }));
    const provider = createGeminiCount({ apiKey: "test-key", baseUrl });
    expect(await countRequest(request, { local, provider })).toEqual({ tokens: 61, countedBy: "provider" });
    const [call] = calls;
    expect(call?.url).toContain("gemini-2.5-pro:countTokens");
    expect(call?.headers["x-goog-api-key"]).toBe("test-key");
    expect(call?.body.contents).toEqual([
      {
        role: "user",
        parts: [
          { text: expect.stringContaining('"find"') },
          { text: "You book trains." },
          { text: "Two seats to Lyon" },
        ],
      },
      { role: "model", parts: [{ functionCall: { name: "find", args: { to: "Lyon" } } }] },
      { role: "user", parts: [{ functionResponse: { name: "find", response: { output: "08:15, 09:40" } } }] },
    ]);
  });

  it("counts here when the provider fails, answers without a count, or takes too long", async () => {
    for (const answer of [json(500, { error: { message: "x" } }), json(200, {})]) {
      const { baseUrl } = await serve(answer);
      const provider = createGeminiCount({ apiKey: "test-key", baseUrl });
      expect(await countRequest(request, { local, provider })).toMatchObject({ tokens: here, countedBy: "local" });
    }
    const { baseUrl } = await serve(() => {});
    const provider = createGeminiCount({ apiKey: "test-key", baseUrl });
    expect(await countRequest(request, { local, provider, timeoutMs: 50 })).toMatchObject({ countedBy: "local" });
  });
});
