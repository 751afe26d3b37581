import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { client, closeAll, failure, post, secret, serve, serveBytes, text } from "./upstream-client.test-data.ts";

afterEach(closeAll);

describe("hostile answers", () => {
  const chunk = (content: string) => `${content.length.toString(16)}\r\n${content}\r\n`;
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

  test.each([
    ["reset", (socket: Socket) => socket.resetAndDestroy()],
    ["a premature end", (socket: Socket) => socket.end()],
  ])("%s in mid-answer is an error of the body, never a clean end", async (_, cut) => {
    const upstream = await serveBytes((socket) => {
      socket.write(head + chunk("data: 1\n\n"));
      setTimeout(() => cut(socket), 20);
    });
    const { body } = await client().send(upstream, post);
    expect(new TextDecoder().decode(await body.read())).toBe("data: 1\n\n");
    await failure(body.read(), "UPSTREAM_BROKEN");
  });

  test("a redirect is not followed", async () => {
    let followed = false;
    const target = await serve(() => {
      followed = true;
    });
    const upstream = await serve((_, response) => response.writeHead(302, { location: target.baseUrl }).end());
    const error = await failure(client().send(upstream, post), "UPSTREAM_BROKEN");
    expect(error.message).toContain("redirects are not followed");
    expect(followed).toBe(false);
  });

  test("an endless line of an event stream is cut off", async () => {
    const upstream = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
      const flood = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, "a")));
        if (!response.destroyed) response.once("drain", flood);
      };
      flood();
    });
    const { body } = await client({ limits: { lineBytes: 1_000_000 } }).send(upstream, post);
    expect((await failure(text(body), "UPSTREAM_BROKEN")).message).toMatch(/line longer than 1000000/);
  });

  test("lines below the cap pass, however many", async () => {
    const upstream = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${"a".repeat(900)}\n\n`.repeat(200));
    });
    const { body } = await client({ limits: { lineBytes: 1_000 } }).send(upstream, post);
    expect((await text(body)).length).toBe(200 * 908);
  });

  test("an answer over the size limit is cut off", async () => {
    const upstream = await serve((_, response) => response.end(Buffer.alloc(200_000)));
    const { body } = await client({ limits: { responseBytes: 100_000 } }).send(upstream, post);
    expect((await failure(text(body), "UPSTREAM_BROKEN")).message).toMatch(/larger than 100000/);
  });

  test("an HTML page instead of JSON is quoted shortly and without secrets", async () => {
    const upstream = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(`<html>${secret} ${"x".repeat(5_000)}</html>`);
    });
    const error = await failure(client().send(upstream, { ...post, expects: ["application/json"] }), "UPSTREAM_BROKEN");
    expect(error.message).toContain("<html>[secret]");
    expect(error.message.length).toBeLessThan(400);
  });

  test("bytes after an answer never reach the next request", async () => {
    const answer = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const upstream = await serveBytes((socket, count) => {
      socket.write(count === 1 ? answer("first") + answer("smuggled") : answer("second"));
    });
    const one = client();
    expect(await text((await one.send(upstream, post)).body)).toBe("first");
    expect(await text((await one.send(upstream, { ...post, repeatable: true })).body)).toBe("second");
  });

  test("a reader that does not read stops the upstream's writing", async () => {
    const written: number[] = [];
    const upstream = await serve((_, response) => {
      let total = 0;
      const block = Buffer.alloc(64 * 1024);
      const fill = () => {
        while (total < 64 * 1024 * 1024 && response.write(block)) total += block.length;
        written.push(total);
        response.once("drain", fill);
      };
      fill();
    });
    const { body } = await client().send(upstream, post);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(written.at(-1)).toBeLessThan(16 * 1024 * 1024);
    await body.cancel();
  });
});
