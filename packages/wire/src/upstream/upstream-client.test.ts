import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from "node:net";
import { type ErrorCode, isMidfoldError, type MidfoldError } from "@midfold/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AnswerBody } from "./answer-body.ts";
import { readRejection, readText } from "./read-rejection.ts";
import type { Upstream, UpstreamRequest } from "./upstream.ts";
import { type AttemptEvent, createUpstreamClient, type UpstreamClientOptions } from "./upstream-client.ts";

const secret = "sk-test-0123456789abcdef";
const cleanups: (() => unknown)[] = [];
let events: AttemptEvent[] = [];

beforeEach(() => {
  events = [];
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = async (listener: RequestListener): Promise<Upstream> => ({
  name: "test",
  baseUrl: `${await listen(createServer(listener))}/v1/`,
  headers: { authorization: `Bearer ${secret}` },
});

/** A server that speaks raw bytes, for answers no HTTP library would write. */
const serveBytes = async (onRequest: (socket: Socket, count: number) => void): Promise<Upstream> => {
  let count = 0;
  const server = createSocketServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => onRequest(socket, ++count));
  });
  return { name: "raw", baseUrl: await listen(server) };
};

function client(options: UpstreamClientOptions = {}) {
  const made = createUpstreamClient({ random: () => 0, onAttempt: (event) => events.push(event), ...options });
  cleanups.push(() => made.close());
  return made;
}

const post: UpstreamRequest = { path: "/chat", body: '{"hello":1}', headers: { "content-type": "application/json" } };
const text = async (body: AnswerBody) => readText(body, 1e9);

async function failure(promise: Promise<unknown>, code: ErrorCode): Promise<MidfoldError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isMidfoldError(error)) throw new Error(`expected ${code}, got ${String(error)}`);
  expect(error.code).toBe(code);
  expect(`${error.message} ${JSON.stringify(error.details)} ${String(error.cause)}`).not.toContain(secret);
  return error;
}

function echo(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url, headers } = request;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
}

describe("a request", () => {
  test("goes to the base path with the upstream's credentials, uncompressed, and without what is not its business", async () => {
    const upstream = await serve(echo);
    const response = await client().send(upstream, {
      ...post,
      query: "beta=true",
      headers: { ...post.headers, Cookie: "a=b", Connection: "close", Authorization: "Bearer other" },
    });
    const seen = JSON.parse(await text(response.body));
    expect(seen).toMatchObject({ method: "POST", url: "/v1/chat?beta=true", body: '{"hello":1}' });
    expect(seen.headers).toMatchObject({ authorization: `Bearer ${secret}`, "accept-encoding": "identity" });
    expect(seen.headers.cookie).toBeUndefined();
    expect(response).toMatchObject({ status: 200, attempts: 1, upstream: "test" });
  });

  test("reuses its connection", async () => {
    const ports = new Set<number | undefined>();
    const upstream = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      echo(request, response);
    });
    const one = client();
    for (let index = 0; index < 10; index++) await text((await one.send(upstream, post)).body);
    // A request that follows within the same tick may open a second connection; never one per request.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  test("keeps cookies and hop-by-hop headers of the answer to itself", async () => {
    const upstream = await serve((_, response) => {
      response.writeHead(200, { "set-cookie": "a=b", "keep-alive": "timeout=5", "x-request-id": "r1" });
      response.end("{}");
    });
    const { headers, body } = await client().send(upstream, post);
    await text(body);
    expect(headers).toMatchObject({ "x-request-id": "r1" });
    expect(Object.keys(headers)).not.toContain("set-cookie");
    expect(Object.keys(headers)).not.toContain("keep-alive");
  });

  test("hands a refusal on, and names it without the key", async () => {
    const upstream = await serve((_, response) => {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `bad request by ${secret}` } }));
    });
    const response = await client().send(upstream, post);
    const error = await readRejection(response, [secret]);
    expect(error).toMatchObject({ code: "UPSTREAM_REJECTED", status: 400 });
    expect(error.message).toContain("bad request by [secret]");
  });

  test.each([
    [401, "UPSTREAM_CREDENTIALS", 502],
    [403, "UPSTREAM_CREDENTIALS", 502],
    [404, "UPSTREAM_REJECTED", 404],
    [429, "UPSTREAM_RATE_LIMITED", 429],
    [504, "UPSTREAM_TIMEOUT", 504],
    [529, "UPSTREAM_OVERLOADED", 503],
  ] as const)("an answer of %i becomes %s with status %i", async (status, code, ours) => {
    const upstream = await serve((_, response) => response.writeHead(status).end());
    const response = await client({ retry: { retries: 0 } }).send(upstream, post);
    expect(await readRejection(response)).toMatchObject({ code, status: ours });
  });
});

describe("retries before the first byte", () => {
  test("a failing upstream is asked three times, then its answer stands", async () => {
    let calls = 0;
    const upstream = await serve((_, response) => {
      calls += 1;
      response.writeHead(503).end("busy");
    });
    const response = await client().send(upstream, post);
    expect(response).toMatchObject({ status: 503, attempts: 3 });
    expect(await text(response.body)).toBe("busy");
    expect(calls).toBe(3);
    expect(events.map((event) => event.status)).toEqual([503, 503, 503]);
  });

  test.each([[400], [404], [422], [504]])("%i is not asked again", async (status) => {
    const upstream = await serve((_, response) => response.writeHead(status).end());
    expect((await client().send(upstream, post)).attempts).toBe(1);
  });

  test.each([
    ["0.01", 2],
    ["3600", 1],
    ["tomorrow", 2],
  ])("429 with retry-after %s is tried %i times", async (value, attempts) => {
    let calls = 0;
    const upstream = await serve((_, response) => {
      calls += 1;
      if (calls > 1) return response.end("{}");
      return response.writeHead(429, { "retry-after": value }).end();
    });
    expect((await client().send(upstream, post)).attempts).toBe(attempts);
    expect(calls).toBe(attempts);
  });

  test("x-should-retry: false is believed", async () => {
    const upstream = await serve((_, response) => response.writeHead(500, { "x-should-retry": "false" }).end());
    expect((await client().send(upstream, post)).attempts).toBe(1);
  });

  test("a refused connection is tried again and then named", async () => {
    const baseUrl = await listen(createServer());
    for (const cleanup of cleanups.splice(0)) await cleanup();
    const error = await failure(client().send({ name: "gone", baseUrl }, post), "UPSTREAM_UNREACHABLE");
    expect(error.details).toMatchObject({ upstream: "gone", reason: "ECONNREFUSED" });
    expect(events.length).toBe(3);
  });

  test("a POST whose connection broke after it was sent is not sent twice", async () => {
    const upstream = await serveBytes((socket) => socket.destroy());
    await failure(client().send(upstream, post), "UPSTREAM_UNREACHABLE");
    expect(events.length).toBe(1);
  });

  test("a GET, or a POST declared repeatable, is", async () => {
    const upstream = await serveBytes((socket, count) => {
      if (count % 3 === 0) socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
      else socket.destroy();
    });
    expect((await client().send(upstream, { path: "/models" })).attempts).toBe(3);
    expect((await client().send(upstream, { ...post, repeatable: true })).attempts).toBe(3);
  });

  test("a success with nothing in it is tried again where content was expected", async () => {
    let calls = 0;
    const upstream = await serve((_, response) => {
      calls += 1;
      response.setHeader("content-type", "application/json");
      response.end(calls === 1 ? "" : "{}");
    });
    expect((await client().send(upstream, { ...post, expects: ["application/json"] })).attempts).toBe(2);
  });

  test("many failing at once: the retry budget keeps the extra calls to a fraction", async () => {
    let calls = 0;
    const upstream = await serve((_, response) => {
      calls += 1;
      setTimeout(() => response.writeHead(503).end(), 20);
    });
    const one = client({ random: () => 1, retry: { baseMs: 100, capMs: 100 }, breaker: { failures: 1_000 } });
    const answers = await Promise.all(Array.from({ length: 100 }, () => one.send(upstream, post)));
    expect(answers.every((answer) => answer.status === 503)).toBe(true);
    expect(calls).toBeLessThanOrEqual(100 + 2 * 20);
  });
});

describe("deadlines", () => {
  test("an upstream that never answers: 504, and not asked again", async () => {
    let closed: Promise<unknown> | undefined;
    const upstream = await serve((request) => {
      closed = once(request.socket, "close");
    });
    const error = await failure(client({ deadlines: { firstByte: 50 } }).send(upstream, post), "UPSTREAM_TIMEOUT");
    expect(error).toMatchObject({ status: 504, details: { deadline: "firstByte", ms: 50 } });
    expect(events.length).toBe(1);
    await closed;
  });

  test("silence in mid-answer ends the body with an error, and the connection", async () => {
    let closed: Promise<unknown> | undefined;
    const upstream = await serve((request, response) => {
      closed = once(request.socket, "close");
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
    });
    const { body } = await client({ deadlines: { idle: 50 } }).send(upstream, post);
    const error = await failure(text(body), "UPSTREAM_TIMEOUT");
    expect(error.details).toMatchObject({ deadline: "idle" });
    await closed;
  });

  test("an answer that drips for ever meets the total deadline", async () => {
    const upstream = await serve((_, response) => {
      const timer = setInterval(() => response.write(": ping\n\n"), 5);
      response.on("close", () => clearInterval(timer));
    });
    const { body } = await client({ deadlines: { total: 100 } }).send(upstream, post);
    expect((await failure(text(body), "UPSTREAM_TIMEOUT")).details).toMatchObject({ deadline: "total" });
  });

  test("a slow reader is not a silent upstream", async () => {
    const size = 2_000_000;
    const upstream = await serve((_, response) => response.end(Buffer.alloc(size, "a")));
    const { body } = await client({ deadlines: { idle: 60 } }).send(upstream, post);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await text(body)).length).toBe(size);
  });
});

describe("cancelling", () => {
  test("before the answer: the upstream's connection closes", async () => {
    const cancel = new AbortController();
    let closed: Promise<unknown> | undefined;
    const upstream = await serve((request) => {
      closed = once(request.socket, "close");
      cancel.abort();
    });
    await failure(client().send(upstream, { ...post, signal: cancel.signal }), "ABORTED");
    await closed;
    expect(events.length).toBe(1);
  });

  test.each(["signal", "reader"] as const)("in mid-answer by the %s: the upstream's connection closes", async (by) => {
    const cancel = new AbortController();
    let closed: Promise<unknown> | undefined;
    const upstream = await serve((request, response) => {
      closed = once(request.socket, "close");
      response.write("data: 1\n\n");
    });
    const { body } = await client().send(upstream, { ...post, signal: cancel.signal });
    if (by === "signal") {
      cancel.abort();
      await failure(text(body), "ABORTED");
    } else {
      await body.cancel();
    }
    await closed;
  });

  test("while waiting to try again: at once", async () => {
    const cancel = new AbortController();
    const upstream = await serve((_, response) => {
      response.writeHead(429, { "retry-after": "9" }).end();
      setTimeout(() => cancel.abort(), 20);
    });
    await failure(client().send(upstream, { ...post, signal: cancel.signal }), "ABORTED");
  });

  test("already cancelled: nothing is sent", async () => {
    let calls = 0;
    const upstream = await serve((_, response) => {
      calls += 1;
      response.end();
    });
    await failure(client().send(upstream, { ...post, signal: AbortSignal.abort() }), "ABORTED");
    expect(calls).toBe(0);
  });
});

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

  test("a compressed answer is refused", async () => {
    const upstream = await serve((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("xx"));
    expect((await failure(client().send(upstream, post), "UPSTREAM_BROKEN")).message).toMatch(
      /content encoding "gzip"/,
    );
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

describe("circuit breaker", () => {
  test("opens after five failures, lets one probe through, and closes again", async () => {
    let calls = 0;
    let healthy = false;
    let now = 0;
    const upstream = await serve((_, response) => {
      calls += 1;
      response.writeHead(healthy ? 200 : 500).end("{}");
    });
    const one = client({ retry: { retries: 0 }, breaker: { now: () => now } });
    for (let index = 0; index < 5; index++) await one.send(upstream, post);
    const error = await failure(one.send(upstream, post), "UPSTREAM_OVERLOADED");
    expect(error.details).toMatchObject({ retryAfterMs: 5_000 });
    expect(calls).toBe(5);

    now = 5_001;
    const [probe, other] = await Promise.allSettled([one.send(upstream, post), one.send(upstream, post)]);
    expect([probe.status, other.status]).toEqual(["fulfilled", "rejected"]);
    expect(calls).toBe(6);
    await failure(one.send(upstream, post), "UPSTREAM_OVERLOADED");

    healthy = true;
    now = 10_002;
    expect((await one.send(upstream, post)).status).toBe(200);
    expect((await one.send(upstream, post)).status).toBe(200);
  });

  test("refusals and cancelled requests do not open it", async () => {
    const cancel = new AbortController();
    let calls = 0;
    const upstream = await serve((_, response) => {
      calls += 1;
      if (calls <= 8) response.writeHead(400).end();
      else cancel.abort();
    });
    const one = client();
    for (let index = 0; index < 8; index++) await one.send(upstream, post);
    for (let index = 0; index < 8; index++) {
      await failure(one.send(upstream, { ...post, signal: cancel.signal }), "ABORTED");
    }
    expect(calls).toBe(9);
    await one.send(await serve((_, response) => response.end("{}")), post);
  });
});
