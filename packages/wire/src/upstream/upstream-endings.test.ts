import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { client, closeAll, events, failure, post, serve, text } from "./upstream-client.test-data.ts";

afterEach(closeAll);

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
    const { body } = await client({ deadlines: { total: 1_000 } }).send(upstream, post);
    expect((await failure(text(body), "UPSTREAM_TIMEOUT")).details).toMatchObject({ deadline: "total" });
  });

  test("a slow reader is not a silent upstream", async () => {
    const size = 2_000_000;
    const upstream = await serve((_, response) => response.end(Buffer.alloc(size, "a")));
    const { body } = await client({ deadlines: { idle: 2_000 } }).send(upstream, post);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
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
    expect(await closed).toHaveLength(1);
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
    expect(await closed).toHaveLength(1);
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
