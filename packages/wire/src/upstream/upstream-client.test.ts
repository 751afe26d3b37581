import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import {
  client,
  closeAll,
  events,
  failure,
  listen,
  post,
  secret,
  serve,
  serveBytes,
  text,
} from "./upstream-client.test-data.ts";

afterEach(closeAll);

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
    await closeAll();
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
    const first: ServerResponse[] = [];
    const retried: ServerResponse[] = [];
    let calls = 0;
    let ended = 0;
    const fail = (response: ServerResponse) => response.writeHead(503).end();
    const upstream = await serve((_, response) => {
      calls += 1;
      if (calls <= 100) first.push(response);
      else if (ended < 80) retried.push(response);
      else fail(response);
    });
    const one = client({ retry: { baseMs: 0, capMs: 0 }, breaker: { failures: 1_000 } });
    const sent = Array.from({ length: 100 }, async () => {
      const { status } = await one.send(upstream, post);
      ended += 1;
      return status;
    });
    // One after the other fails, while the retries of those before it are still under way.
    while (first.length < 100) await nextTurn();
    for (const [index, response] of first.entries()) {
      fail(response);
      while (retried.length + ended <= index) await nextTurn();
    }
    expect(retried).toHaveLength(20);
    for (const response of retried) fail(response);
    expect(new Set(await Promise.all(sent))).toEqual(new Set([503]));
    expect(calls).toBeLessThanOrEqual(100 + 2 * 20);
  });
});

describe("an account without credit", () => {
  test.each([
    ["insufficient_quota", { error: { message: "You exceeded your current quota", code: "insufficient_quota" } }, 1],
    ["billing", { error: { message: "Your credit balance is too low to access the API." } }, 1],
    ["a rate", { error: { message: "Rate limit reached for requests", code: "rate_limit_exceeded" } }, 3],
    ["nothing", "", 3],
  ])("is not asked again: %s", async (_, body, calls) => {
    let asked = 0;
    const said = typeof body === "string" ? body : JSON.stringify(body);
    const upstream = await serve((_request, response) => {
      asked += 1;
      response.writeHead(429, { "content-type": "application/json" }).end(said);
    });
    const response = await client().send(upstream, post);
    expect([asked, response.attempts, response.status]).toEqual([calls, calls, 429]);
    expect(await text(response.body)).toBe(said);
  });
});

describe("an answer that names another type than it has", () => {
  const expects = ["application/json", "text/event-stream"];
  const answering = (type: string | undefined, content: string) =>
    serve((_, response) => response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(content));

  test.each([
    ["text/plain", ' {"a":1}', "application/json"],
    [undefined, "[1]", "application/json"],
    ["application/problem+json", '{"a":1}', "application/json"],
    ["text/plain; charset=utf-8", "data: {}\n\n", "text/event-stream"],
    ["application/octet-stream", "event: message_start\ndata: {}\n\n", "text/event-stream"],
    ["text/plain", ": comment\n\ndata: {}\n\n", "text/event-stream"],
  ])("as %s: %s is read as %s", async (type, content, read) => {
    const { headers, body } = await client().send(await answering(type, content), { ...post, expects });
    expect(headers["content-type"]).toBe(read);
    expect(await text(body)).toBe(content);
  });

  test.each([
    ["text/html", '{"a":1}'],
    ["text/plain", "Service is starting, data: none"],
    ["audio/mpeg", "data: {}"],
  ])("as %s: %s is none that was asked for", async (type, content) => {
    await failure(client().send(await answering(type, content), { ...post, expects }), "UPSTREAM_BROKEN");
  });

  test("is left alone where any type may come", async () => {
    const { headers } = await client().send(await answering("text/plain", '{"a":1}'), post);
    expect(headers["content-type"]).toBe("text/plain");
  });
});
