import { once } from "node:events";
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { client, closeAll, failure, post, serve, text } from "./upstream-client.test-data.ts";

afterEach(closeAll);

const json = '{"answer":"plain words"}';
const expecting = { ...post, expects: ["application/json", "text/event-stream"] };

describe("an answer that is packed although none was offered", () => {
  test.each([
    ["gzip", gzipSync(json)],
    ["x-gzip", gzipSync(json)],
    ["GZIP", gzipSync(json)],
    ["deflate", deflateSync(json)],
    ["deflate", deflateRawSync(json)],
    ["br", brotliCompressSync(json)],
    ["zstd", zstdCompressSync(json)],
    ["gzip, br", brotliCompressSync(gzipSync(json))],
    ["identity", Buffer.from(json)],
  ])("is unpacked, and no header says otherwise: %s", async (encoding, packed) => {
    const upstream = await serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": encoding }).end(packed);
    });
    const { headers, body } = await client().send(upstream, expecting);
    expect(headers["content-encoding"]).toBeUndefined();
    expect(headers["content-length"]).toBeUndefined();
    expect(await text(body)).toBe(json);
  });

  test("is known by how it begins once unpacked, where its type is vague", async () => {
    const upstream = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(gzipSync(json));
    });
    const { headers } = await client().send(upstream, expecting);
    expect(headers["content-type"]).toBe("application/json");
  });

  test("keeps its status and words when it is an error", async () => {
    const upstream = await serve((_, response) => {
      response.writeHead(400, { "content-encoding": "gzip" }).end(gzipSync('{"error":"too long"}'));
    });
    const { status, body } = await client().send(upstream, expecting);
    expect([status, await text(body)]).toEqual([400, '{"error":"too long"}']);
  });

  test("streams: each event is read before the next is written", async () => {
    const read: (() => void)[] = [];
    const upstream = await serve(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
      const packer = createGzip();
      packer.pipe(response);
      for (const number of [1, 2]) {
        packer.write(`data: ${number}\n\n`);
        packer.flush();
        await new Promise<void>((resolve) => read.push(resolve));
      }
      packer.end();
    });
    const { body } = await client().send(upstream, expecting);
    expect(String(await body.read())).toBe("data: 1\n\n");
    read[0]?.();
    expect(String(await body.read())).toBe("data: 2\n\n");
    read[1]?.();
    expect(await body.read()).toBeUndefined();
  });

  test("never becomes larger than an answer may be", async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, "a"));
    const upstream = await serve((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    const { body } = await client({ limits: { responseBytes: 100_000 } }).send(upstream, post);
    expect((await failure(text(body), "UPSTREAM_BROKEN")).message).toMatch(/larger than 100000/);
  });

  test("has no endless line either, and its packed bytes are no line", async () => {
    const stream = (lines: string) =>
      serve((_, response) => {
        const packed = gzipSync(lines);
        response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" }).end(packed);
      });
    const limits = { lineBytes: 30 };
    const long = await stream(`data: 1\n\ndata: ${"a".repeat(100)}`);
    const reading = client({ limits }).send(long, post);
    expect((await failure(reading, "UPSTREAM_BROKEN")).message).toMatch(/line longer than 30/);
    // Packed, it ends in more than 30 bytes without a line feed.
    const linesOf = (seed: number) => Array.from({ length: 9 }, (_, i) => `data: ${Math.sin(seed + i)}\n\n`).join("");
    const tailOf = (packed: Buffer) => packed.length - packed.lastIndexOf(10);
    const seed = Array.from({ length: 100 }, (_, i) => i).find((i) => tailOf(gzipSync(linesOf(i))) > 60) ?? Number.NaN;
    const lines = linesOf(seed);
    const fine = await stream(lines);
    expect(await text((await client({ limits }).send(fine, post)).body)).toBe(lines);
  });

  test("that breaks off or is no such thing is an error, never a clean end", async () => {
    const cut = gzipSync(Buffer.alloc(500_000, "abc"), { level: 0 }).subarray(0, 300_000);
    const short = await serve((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(cut));
    const { body } = await client().send(short, post);
    expect((await failure(text(body), "UPSTREAM_BROKEN")).message).toContain("gzip");
    const wrong = await serve((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("xx"));
    expect((await failure(client().send(wrong, post), "UPSTREAM_BROKEN")).message).toContain("gzip");
    const unknown = await serve((_, response) => response.writeHead(200, { "content-encoding": "zz" }).end("xx"));
    expect((await failure(client().send(unknown, post), "UPSTREAM_BROKEN")).message).toContain('encoding "zz"');
  });

  test("with nothing in it is an empty answer", async () => {
    const bare = await serve((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end());
    const packed = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("")),
    );
    for (const upstream of [bare, packed]) {
      const error = await failure(client({ retry: { retries: 0 } }).send(upstream, expecting), "UPSTREAM_BROKEN");
      expect(error.message).toContain("nothing in it");
    }
  });

  test("ends where it comes from when nobody wants it any longer", async () => {
    let closed: Promise<unknown> | undefined;
    const upstream = await serve((request, response) => {
      closed = once(request.socket, "close");
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
      const packer = createGzip();
      packer.pipe(response);
      packer.write("data: 1\n\n");
      packer.flush();
    });
    const { body } = await client().send(upstream, expecting);
    await body.read();
    const waiting = body.read();
    await body.cancel();
    expect(await waiting).toBeUndefined();
    await closed;
  });
});
