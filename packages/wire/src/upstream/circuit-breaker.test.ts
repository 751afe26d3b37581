import { afterEach, describe, expect, test } from "vitest";
import { client, closeAll, failure, post, serve } from "./upstream-client.test-data.ts";

afterEach(closeAll);

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

  test("turns requests away with the reason the last one failed for", async () => {
    const upstream = await serve(() => undefined);
    await closeAll();
    const one = client({ retry: { retries: 0 } });
    for (let index = 0; index < 6; index++) {
      const error = await failure(one.send(upstream, post), "UPSTREAM_UNREACHABLE");
      expect(error.message).toMatch(/could not be reached/);
      if (index === 5) expect(error.details).toMatchObject({ breaker: "open" });
    }
  });

  test("is one per model and owner: what fails for one does not shut the upstream for others", async () => {
    let calls = 0;
    const upstream = await serve((_, response) => {
      calls += 1;
      response.writeHead(500).end("{}");
    });
    const one = client({ retry: { retries: 0 } });
    for (let index = 0; index < 5; index++) await one.send(upstream, { ...post, circuit: "anna\nbad-model" });
    await failure(one.send(upstream, { ...post, circuit: "anna\nbad-model" }), "UPSTREAM_OVERLOADED");
    await one.send(upstream, { ...post, circuit: "anna\nother" });
    await one.send(upstream, { ...post, circuit: "ben\nbad-model" });
    expect(calls).toBe(7);
  });

  test("tells nobody what an upstream answered to another one", async () => {
    const upstream = await serve((request, response) => {
      if (request.headers["x-who"] === "anna") response.writeHead(200, { "content-type": "text/html" }).end("of anna");
      else response.writeHead(500).end("{}");
    });
    const one = client({ retry: { retries: 0 } });
    const ask = (who: string) =>
      one.send(upstream, { ...post, headers: { "x-who": who }, circuit: who, expects: ["a/b"] });
    expect((await failure(ask("anna"), "UPSTREAM_BROKEN")).message).toContain("of anna");
    for (let index = 0; index < 5; index++) await ask("ben");
    expect((await failure(ask("ben"), "UPSTREAM_OVERLOADED")).message).toMatch(/failed several times in a row/);
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
