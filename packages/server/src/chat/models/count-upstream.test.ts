import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { protocols } from "@midfold/wire";
import { afterEach, expect, test } from "vitest";
import { loadConfig } from "../../config/load-config.ts";
import { createDestinations } from "../../upstreams/create-destinations.ts";
import { createChatModels } from "./create-chat-models.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** The models of a server with one Gemini upstream, which counts every request as 4321. */
async function geminiModels() {
  const calls: { url: string; key: unknown; body: unknown }[] = [];
  server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    // The list of models is requested as well.
    if (request.method !== "POST") return void response.writeHead(404).end();
    calls.push({ url: request.url ?? "", key: request.headers["x-goog-api-key"], body: JSON.parse(text) });
    response.writeHead(200, { "content-type": "application/json" }).end('{"totalTokens":4321}');
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const text = `
upstreams:
  google: { provider: gemini, apiKeyEnv: KEY, baseUrl: "http://127.0.0.1:${port}/v1beta/openai" }
  local: { provider: vllm, apiKeyEnv: KEY }
routes: [{ model: "gemini-*", upstream: google }, { model: "*", upstream: local }]`;
  const config = loadConfig({ file: "test", text }, { KEY: "test-key" });
  const destinations = createDestinations({
    config,
    newId: () => "id",
    now: Date.now,
    demoDelayMs: 0,
    onListError: () => undefined,
  });
  return { calls, destinations, models: createChatModels({ config, destinations }) };
}

test("Gemini counts by its own countTokens, beside its OpenAI-compatible address", async () => {
  const { calls, destinations, models } = await geminiModels();
  expect(destinations.find("gemini-2.5-pro", protocols["openai-chat"]).protocol.name).toBe("openai-chat");
  const model = models.find("gemini-2.5-pro");
  const messages = [{ role: "user" as const, parts: [{ type: "text" as const, text: "Two seats to Lyon" }] }];
  const request = { model: "gemini-2.5-pro", messages, tools: [], maxOutputTokens: 100 };
  expect(await model.countTokens?.(request, new AbortController().signal)).toBe(4321);
  expect(calls).toEqual([
    {
      url: expect.stringMatching(/^\/v1beta\/models\/gemini-2\.5-pro:countTokens/),
      key: "test-key",
      body: expect.objectContaining({ contents: [{ role: "user", parts: [{ text: "Two seats to Lyon" }] }] }),
    },
  ]);
  await destinations.close();
});

test("a server without any such endpoint is not asked", async () => {
  const { destinations, models } = await geminiModels();
  expect(models.find("qwen3").countTokens).toBeUndefined();
  await destinations.close();
});
