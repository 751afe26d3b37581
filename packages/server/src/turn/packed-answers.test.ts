import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "../testing/start-gateway.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

interface Packed {
  readonly status?: number;
  readonly type: string;
  readonly encoding: string;
  readonly body: Uint8Array;
}

async function setup({ status = 200, type, encoding, body }: Packed) {
  const upstream = createServer((request, response) => {
    request.resume();
    response.writeHead(status, {
      ...{ "content-type": type, "content-encoding": encoding, "content-length": body.byteLength },
    });
    response.end(body);
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
  const gateway = await startGateway({
    yaml: JSON.stringify({
      upstreams: { packer: { provider: "generic", baseUrl, protocol: "openai-chat" } },
      routes: [{ model: "*", upstream: "packer" }],
    }),
  });
  open.push(upstream, gateway);
  return gateway;
}

const ask = (stream: boolean) => ({ model: "m", stream, messages: [{ role: "user", content: "hi" }] });
const answer = {
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "plain words" }, finish_reason: "stop" }],
};
const chunk = (delta: object, finish_reason: string | null) =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const frames = `${chunk({ role: "assistant", content: "plain words" }, null)}${chunk({}, "stop")}data: [DONE]\n\n`;

describe("an upstream that packs its answers although it was asked not to", () => {
  it("is read, and the client gets plain JSON with true headers", async () => {
    const body = gzipSync(JSON.stringify(answer));
    const gateway = await setup({ type: "application/json", encoding: "gzip", body });
    const reply = await gateway.post("/v1/chat/completions", ask(false));
    expect(reply.headers.get("content-encoding")).toBeNull();
    expect(await reply.json()).toEqual(answer);
    const translated = await gateway.post("/v1/messages", { ...ask(false), max_tokens: 10 });
    expect(await translated.json()).toMatchObject({ content: [{ type: "text", text: "plain words" }] });
  });

  it("is read as a stream, byte for byte", async () => {
    const gateway = await setup({ type: "text/event-stream", encoding: "br", body: brotliCompressSync(frames) });
    const reply = await gateway.post("/v1/chat/completions", ask(true));
    expect(reply.headers.get("content-encoding")).toBeNull();
    expect(await reply.text()).toBe(frames);
  });

  it("is understood when it refuses", async () => {
    const error = { error: { message: "No such model.", type: "invalid_request_error" } };
    const body = gzipSync(JSON.stringify(error));
    const gateway = await setup({ status: 404, type: "application/json", encoding: "gzip", body });
    const reply = await gateway.post("/v1/chat/completions", ask(false));
    expect([reply.status, await reply.json()]).toEqual([404, error]);
  });

  it("is passed on plainly where the answer is no conversation", async () => {
    const body = gzipSync('{"data":[]}');
    const gateway = await setup({ type: "application/json", encoding: "gzip", body });
    const reply = await gateway.post("/v1/embeddings", { model: "m", input: "x" });
    expect([reply.headers.get("content-encoding"), await reply.text()]).toEqual([null, '{"data":[]}']);
  });
});
