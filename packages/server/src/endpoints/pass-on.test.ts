import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type GatewayUnderTest, startGateway } from "../testing/start-gateway.ts";

interface Seen {
  readonly line: string;
  readonly type: string | undefined;
  readonly key: string | undefined;
  readonly body: string;
}

const seen: Seen[] = [];
let upstream: Server;
let gateway: GatewayUnderTest;
beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const key = request.headers.authorization ?? (request.headers["x-api-key"] as string | undefined);
    const body = Buffer.concat(chunks).toString("latin1");
    seen.push({ line: `${request.method} ${request.url}`, type: request.headers["content-type"], key, body });
    if (request.url?.endsWith("/content") === true) {
      response.writeHead(200, { "content-type": "audio/mpeg" }).end(Buffer.from([0, 255, 1, 254]));
      return;
    }
    const status = request.url?.includes("missing") === true ? 404 : 200;
    response.writeHead(status, { "content-type": "application/json" }).end('{"ok":true}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  gateway = await startGateway({
    env: { KEY: "sk-upstream" },
    yaml: JSON.stringify({
      upstreams: {
        main: { baseUrl: `${url}/main/v1`, apiKeyEnv: "KEY" },
        claude: { provider: "anthropic", baseUrl: `${url}/claude`, apiKeyEnv: "KEY" },
      },
      routes: [
        { model: "claude-*", upstream: "claude" },
        { model: "short", upstream: "main", upstreamModel: "the-long-name" },
        { model: "*", upstream: "main" },
      ],
    }),
  });
});
afterAll(async () => {
  await gateway.close();
  upstream.close();
});
beforeEach(() => void seen.splice(0));

const call = (method: string, path: string, body?: string | FormData, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
const json = { "content-type": "application/json" };

describe("what is no conversation", () => {
  it.each([
    ["POST", "/v1/embeddings", '{"model":"e", "input":"x"}'],
    ["POST", "/v1/completions", '{"model":"c","prompt":"x"}'],
    ["POST", "/v1/moderations", '{"input":"x"}'],
    ["POST", "/v1/rerank", '{"model":"r","query":"x","documents":[]}'],
    ["GET", "/v1/files?purpose=batch", undefined],
    ["GET", "/v1/responses/resp_1", undefined],
    ["DELETE", "/v1/files/f1", undefined],
    ["POST", "/v1/conversations", "{}"],
  ])("%s %s goes to its upstream as it came", async (method, path, body) => {
    const response = await call(method, path, body, body === undefined ? {} : json);
    expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
    expect(seen).toMatchObject([{ line: `${method} /main${path}`, key: "Bearer sk-upstream", body: body ?? "" }]);
  });

  it("has no body to be read where none was sent, whatever type is named: Python's clients always name one", async () => {
    for (const [method, path] of [
      ["GET", "/v1/batches?limit=1"],
      ["GET", "/v1/responses/resp_1"],
      ["DELETE", "/v1/responses/resp_1"],
      ["POST", "/v1/responses/resp_1/cancel"],
    ] as const) {
      expect((await call(method, path, undefined, json)).status).toBe(200);
      expect(seen.at(-1)).toMatchObject({ line: `${method} /main${path}`, body: "" });
    }
  });

  it("may be compressed: it is unpacked, within bounds, for its model is in it", async () => {
    const body = '{"model":"short","input":"x"}';
    const send = (bytes: Uint8Array, encoding: string) =>
      fetch(`${gateway.url}/v1/embeddings`, {
        ...{ method: "POST", headers: { ...json, "content-encoding": encoding }, body: bytes as BodyInit },
      });
    for (const [encoding, pack] of [
      ["gzip", gzipSync],
      ["deflate", deflateSync],
      ["br", brotliCompressSync],
      ["zstd", zstdCompressSync],
    ] as const) {
      expect((await send(pack(Buffer.from(body)), encoding)).status).toBe(200);
      expect(JSON.parse(seen.at(-1)?.body ?? "")).toEqual({ model: "the-long-name", input: "x" });
    }
    expect((await send(gzipSync(Buffer.alloc(64 * 1024 * 1024, 32)), "gzip")).status).toBe(413);
    expect((await send(Buffer.from("nothing of the kind"), "gzip")).status).toBe(400);
    expect(seen).toHaveLength(4);
  });

  it("goes to the upstream of its model, under the name the upstream knows", async () => {
    await call("POST", "/v1/embeddings", '{"model":"short","input":"x"}', json);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ model: "the-long-name", input: "x" });
    await call("GET", "/v1/messages/batches", undefined, { "anthropic-version": "2023-06-01" });
    expect(seen[1]).toMatchObject({ line: "GET /claude/v1/messages/batches", key: "sk-upstream" });
  });

  it("may be a form with a file, and bytes come back as bytes", async () => {
    const form = new FormData();
    form.set("model", "whisper");
    form.set("file", new Blob([new Uint8Array([7, 0, 200])]), "a.mp3");
    expect((await call("POST", "/v1/audio/transcriptions", form)).status).toBe(200);
    expect(seen[0]?.type).toMatch(/^multipart\/form-data; boundary=/);
    expect(seen[0]?.body).toContain("\u0007\u0000\u00c8");
    const file = await call("GET", "/v1/files/f/content");
    expect(file.headers.get("content-type")).toBe("audio/mpeg");
    expect([...new Uint8Array(await file.arrayBuffer())]).toEqual([0, 255, 1, 254]);
  });

  it("is refused in the upstream's words, and a WebSocket at once", async () => {
    const missing = await call("GET", "/v1/files/missing");
    expect([missing.status, await missing.text()]).toEqual([404, '{"ok":true}']);
    const before = seen.length;
    const { status } = await new Promise<{ status: number | undefined }>((resolve, reject) => {
      import("node:http").then(({ request }) => {
        const url = new URL("/v1/realtime", gateway.url);
        request(url, { headers: { connection: "Upgrade", upgrade: "websocket" } }, (response) => {
          response.resume();
          resolve({ status: response.statusCode });
        })
          .on("error", reject)
          .end();
      }, reject);
    });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(seen.length).toBe(before);
  });
});

describe("a compressed body", () => {
  const plain = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Grüße" }] });
  const send = (encoding: string, body: Uint8Array) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { ...json, "content-encoding": encoding },
      body: body as Uint8Array<ArrayBuffer>,
    });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["deflate", deflateSync],
  ] as const)("is read: %s", async (encoding, compress) => {
    await send(encoding, compress(Buffer.from(plain)));
    // Its list of models may be asked for as well.
    const posted = seen.find(({ line }) => line.startsWith("POST"));
    expect(Buffer.from(posted?.body ?? "", "latin1").toString()).toBe(plain);
  });

  it("may not unpack to more than a plain one may be, and must be what it says", async () => {
    expect((await send("gzip", gzipSync(Buffer.alloc(200 * 1024 * 1024)))).status).toBe(413);
    expect((await send("gzip", Buffer.from("no gzip"))).status).toBe(400);
    expect((await send("compress", Buffer.from("x"))).status).toBe(415);
    expect(seen).toEqual([]);
  });
});
