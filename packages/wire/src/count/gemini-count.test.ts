import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Message, ToolDefinition } from "@midfold/core";
import { afterEach, describe, expect, it } from "vitest";
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

/** A provider on the loopback interface. */
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

describe("Gemini's count", () => {
  const request = { model: "gemini-2.5-pro", messages, tools };
  const patience = { timeoutMs: 10_000 };

  it("sends tools, system prompt and turns as contents", async () => {
    const { baseUrl, calls } = await serve(json(200, { totalTokens: 61 }));
    const { count } = createGeminiCount({ apiKey: "test-key", baseUrl: `${baseUrl}/v1beta/openai` });
    expect(await count(request, patience)).toBe(61);
    const [call] = calls;
    expect(call?.url).toBe("/v1beta/models/gemini-2.5-pro:countTokens");
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

  it.each([
    ["refuses", json(500, { error: { message: "x" } })],
    ["answers without a count", json(200, {})],
    ["breaks off", (_: Call, response: ServerResponse) => void response.destroy()],
  ])("throws when the provider %s, after one try", async (_, answer) => {
    const { baseUrl, calls } = await serve(answer);
    const { count } = createGeminiCount({ apiKey: "test-key", baseUrl });
    await expect(count(request, patience)).rejects.toThrow();
    expect(calls).toHaveLength(1);
  });

  it("throws when it takes too long, or the caller is gone", async () => {
    const { baseUrl } = await serve(() => {});
    const { count } = createGeminiCount({ apiKey: "test-key", baseUrl });
    await expect(count(request, { timeoutMs: 50 })).rejects.toThrow();
    await expect(count(request, { ...patience, signal: AbortSignal.abort() })).rejects.toThrow();
  });
});
