import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "../testing/start-gateway.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const bare: Record<string, (response: ServerResponse) => void> = {
  "nothing at all": (response) => response.writeHead(400).end(),
  "two words": (response) => response.writeHead(400, { "content-type": "text/plain" }).end("Bad Request"),
  "a proxy's page": (response) =>
    response
      .writeHead(400, { "content-type": "text/html" })
      .end("<html><body><h1>400 Bad Request</h1>nginx</body></html>"),
  "JSON that says no more": (response) =>
    response
      .writeHead(400, { "content-type": "application/json" })
      .end('{"error":{"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT","code":400}}'),
};

interface Stage {
  /** Bytes above which the upstream refuses. */
  readonly most: () => number;
  readonly refuse?: (response: ServerResponse) => void;
  readonly route?: object;
}

async function setup({ most, refuse = bare["two words"]!, route = {} }: Stage) {
  const bodies: string[] = [];
  const upstream = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    if (request.method !== "POST") return response.writeHead(404).end();
    const text = Buffer.concat(chunks).toString();
    bodies.push(text);
    if (text.length > most()) return refuse(response);
    const read = Math.ceil(text.length / 4.6);
    const choice = { index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        ...{ id: "c", object: "chat.completion", created: 1, model: "m", choices: [choice] },
        usage: { prompt_tokens: read, completion_tokens: 1, total_tokens: read + 1 },
      }),
    );
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
  const gateway = await startGateway({
    yaml: JSON.stringify({
      upstreams: { sim: { baseUrl: url } },
      routes: [{ model: "*", upstream: "sim", ...route }],
    }),
  });
  open.push(upstream, gateway);
  const ask = (rounds: number, headers: Record<string, string> = {}) =>
    gateway.post("/v1/chat/completions", { model: "nobody-knows-me", messages: turns(rounds) }, headers);
  const learned = async () => (await (await fetch(`${gateway.url}/api/learned`)).json()).limits as unknown[];
  return { gateway, bodies, ask, learned };
}

const sentence = "The quick brown fox jumps over the lazy dog. ".repeat(20);
const turns = (rounds: number) =>
  Array.from({ length: rounds * 2 + 1 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: `Turn ${i}. ${sentence}`,
  }));

describe("a large request that is refused with a 400 and no reason", () => {
  it.each(Object.entries(bare))("is folded and sent once more, which the client is told: %s", async (_, refuse) => {
    const { gateway, bodies, ask, learned } = await setup({ most: () => 40_000, refuse });
    const reply = await ask(40);
    expect(reply.status).toBe(200);
    expect(bodies.length).toBe(2);
    expect(bodies[1]!.length).toBeLessThan(bodies[0]!.length / 2);
    expect(reply.headers.get("x-midfold-retried")).toBe("refused-without-words");
    expect(reply.headers.get("x-context-compressed")).toBe("true");
    expect(gateway.lines.map(({ msg }) => msg)).toContain("a request refused without a reason was taken when folded");
    // One such event may have had any reason.
    expect(await learned()).toEqual([]);
  });

  it("teaches a window for an hour when it happens again, and then no request is refused", async () => {
    const { bodies, ask, learned } = await setup({ most: () => 40_000 });
    for (const rounds of [40, 41]) expect((await ask(rounds)).status).toBe(200);
    expect(await learned()).toMatchObject([{ evidence: expect.stringContaining("without a reason") }]);
    const before = bodies.length;
    expect((await ask(42)).headers.get("x-midfold-retried")).toBeNull();
    expect(bodies.length - before).toBe(1);
  });

  it("teaches nothing when a request as large was read in between", async () => {
    let most = 40_000;
    const { ask, learned } = await setup({ most: () => most });
    await ask(40);
    most = 1_000_000;
    await ask(50);
    most = 70_000;
    expect((await ask(60)).status).toBe(200);
    expect(await learned()).toEqual([]);
  });

  it("gets the upstream's own first answer when the smaller one is refused too", async () => {
    let calls = 0;
    const refuse = (response: ServerResponse) => {
      calls += 1;
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "Bad Request", type: "invalid_request_error" }, call: calls }));
    };
    const { bodies, ask, learned } = await setup({ most: () => 0, refuse });
    const reply = await ask(40);
    expect([reply.status, (await reply.json()).call]).toEqual([400, 1]);
    expect(reply.headers.get("x-midfold-retried")).toBeNull();
    expect(reply.headers.get("x-context-compressed")).toBeNull();
    expect(new Set(bodies).size).toBe(2);
    expect(await learned()).toEqual([]);
  });

  it("is sent once where it is small, no larger than one that succeeded, or not to be folded", async () => {
    const small = await setup({ most: () => 0 });
    expect((await small.ask(2)).status).toBe(400);
    expect(small.bodies.length).toBe(1);

    let most = 1_000_000;
    const known = await setup({ most: () => most });
    await known.ask(40);
    most = 0;
    expect((await known.ask(38)).status).toBe(400);
    expect(known.bodies.length).toBe(2);

    const off = await setup({ most: () => 0 });
    expect((await off.ask(40, { "x-disable-compression": "true" })).status).toBe(400);
    expect(off.bodies.length).toBe(1);

    const configured = await setup({ most: () => 0, route: { window: 100_000 } });
    expect((await configured.ask(40)).status).toBe(400);
    expect(configured.bodies.length).toBe(1);
  });

  it("is sent once where the upstream gives a reason", async () => {
    const reasons = ["temperature is too hot", "messages[3].content: unsupported part", "model is not loaded"];
    for (const message of reasons) {
      const refuse = (response: ServerResponse) =>
        response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error: { message } }));
      const { bodies, ask } = await setup({ most: () => 0, refuse });
      expect((await ask(40)).status).toBe(400);
      expect(bodies.length).toBe(1);
    }
    const coded = await setup({
      most: () => 0,
      refuse: (response) =>
        response
          .writeHead(400, { "content-type": "application/json" })
          .end('{"error":{"message":"Bad Request","code":"unsupported_parameter"}}'),
    });
    await coded.ask(40);
    expect(coded.bodies.length).toBe(1);
  });
});
