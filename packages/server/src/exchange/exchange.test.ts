import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Simulator, type SimulatorOptions, startSimulator } from "@midfold/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { type GatewayUnderTest, startGateway } from "../testing/start-gateway.ts";

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

type Handler = (body: Record<string, unknown>, response: ServerResponse) => void;

/** An upstream that does exactly what the test says. */
async function startUpstream(handle: Handler): Promise<{ readonly url: string; readonly bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    if (request.method !== "POST") return response.writeHead(404).end();
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const text = Buffer.concat(chunks).toString();
    bodies.push(text);
    handle(JSON.parse(text), response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({ close: () => new Promise((resolve) => server.close(resolve)) });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

const answer = (response: ServerResponse, promptTokens: number) =>
  json(response, 200, {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
    usage: { prompt_tokens: promptTokens, completion_tokens: 1, total_tokens: promptTokens + 1 },
  });

const refuse = (response: ServerResponse, message: string, status = 400) =>
  json(response, status, { error: { message, type: "invalid_request_error", param: null, code: null } });

const gatewayFor = async (url: string, route: object = {}, store?: object): Promise<GatewayUnderTest> => {
  const gateway = await startGateway({
    env: { KEY: "sk-upstream" },
    yaml: JSON.stringify({
      upstreams: { sim: { baseUrl: `${url}/v1`, apiKeyEnv: "KEY" } },
      routes: [{ model: "*", upstream: "sim", ...route }],
    }),
    ...store,
  });
  open.push(gateway);
  return gateway;
};

const simulate = async (options: Partial<SimulatorOptions>): Promise<Simulator> => {
  const simulator = await startSimulator({ protocol: "openai-chat", ...options });
  open.push(simulator);
  return simulator;
};

const words = (n: number, seed = "") => `${seed} ${"The quick brown fox jumps over the lazy dog. ".repeat(n)}`.trim();
const turns = (n: number, length = 20) =>
  Array.from({ length: n * 2 + 1 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: words(length, `Turn ${i}.`),
  }));

const path = "/v1/chat/completions";
const learned = async (gateway: GatewayUnderTest): Promise<{ contextWindow: number | null }[]> =>
  (await (await fetch(`${gateway.url}/api/console/overview`)).json()).learned;

/** A conversation that grows turn by turn; the last answer's headers and how many came back with 200. */
async function talk(
  gateway: GatewayUnderTest,
  model: string,
  rounds: number,
  length = 20,
  { from = 1, ...extra }: { readonly from?: number; readonly [name: string]: unknown } = {},
) {
  let answered = 0;
  let last = new Headers();
  let folded = 0;
  for (let round = from; round < from + rounds; round++) {
    const response = await gateway.post(path, { model, messages: turns(round, length), ...extra });
    await response.text();
    if (response.status === 200) answered++;
    if (response.headers.get("x-context-compressed") === "true") folded++;
    last = response.headers;
  }
  return { answered, folded, last };
}

describe("learning a window", () => {
  it("does not come from a 413 about bytes", async () => {
    const upstream = await startUpstream((body, response) => {
      const size = JSON.stringify(body).length;
      if (size > 20_000) response.writeHead(413, { "content-type": "text/html" }).end("<h1>413 Entity Too Large</h1>");
      else answer(response, Math.ceil(size / 4));
    });
    const gateway = await gatewayFor(upstream.url);
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(30_000)}` } };
    const refused = await gateway.post(path, { model: "qwen3", messages: [{ role: "user", content: [image] }] });
    expect(refused.status).toBe(413);
    expect(await learned(gateway)).toEqual([]);
    const { answered, folded } = await talk(gateway, "qwen3", 8);
    expect([answered, folded]).toEqual([8, 0]);
  });

  it("never beats a configured window: the refused request is made smaller, the next one starts anew", async () => {
    const simulator = await simulate({ window: 6_000 });
    const gateway = await gatewayFor(simulator.url, { window: 20_000 });
    const response = await gateway.post(path, { model: "gpt-4o", messages: turns(25) });
    expect(response.status).toBe(200);
    expect(await learned(gateway)).toEqual([]);
    simulator.setWindow(20_000);
    const again = await gateway.post(path, { model: "gpt-4o", messages: turns(25) });
    expect(again.headers.get("x-context-compressed")).toBeNull();
  });

  it("expires, and is forgotten when a larger request was read whole", async () => {
    let now = 1_800_000_000_000;
    const simulator = await simulate({ window: 6_000 });
    const gateway = await gatewayFor(simulator.url, {}, { now: () => now });
    await gateway.post(path, { model: "gpt-4o", messages: turns(25) });
    expect((await learned(gateway)).map(({ contextWindow }) => contextWindow)).toEqual([6_000]);
    simulator.setWindow(undefined);
    expect((await gateway.post(path, { model: "gpt-4o", messages: turns(25) })).headers.get("x-midfold-window")).toBe(
      "6000",
    );
    now += 8 * 24 * 3_600_000;
    const later = await gateway.post(path, { model: "gpt-4o", messages: turns(25) });
    expect(later.headers.get("x-context-compressed")).toBeNull();
    expect(await learned(gateway)).toEqual([]);
  });

  it("is listed, explained, and forgotten on request", async () => {
    const simulator = await simulate({ window: 6_000 });
    const gateway = await gatewayFor(simulator.url);
    await gateway.post(path, { model: "gpt-4o", messages: turns(25) });
    const { limits } = await (await fetch(`${gateway.url}/api/learned`)).json();
    expect(limits).toMatchObject([{ upstream: "sim", model: "gpt-4o", contextWindow: 6_000 }]);
    expect(limits[0].evidence).toContain("maximum context length is 6000");
    expect(limits[0].expiresAt).toBeGreaterThan(limits[0].learnedAt);
    const forget = (model: string) => fetch(`${gateway.url}/api/learned?model=${model}`, { method: "DELETE" });
    // Each of these would forget everything if the part that is not known were left out.
    const misspelt = await fetch(`${gateway.url}/api/learned?modle=other`, { method: "DELETE" });
    expect([misspelt.status, (await misspelt.json()).detail]).toEqual([
      400,
      "query.modle: there is no such field; there are upstream, model.",
    ]);
    const inBody = await fetch(`${gateway.url}/api/learned`, {
      method: "DELETE",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "other" }),
    });
    expect([inBody.status, (await inBody.json()).detail]).toEqual([400, expect.stringContaining("in the address")]);
    expect(await learned(gateway)).toHaveLength(1);
    expect((await forget("other")).status).toBe(404);
    expect(await (await forget("gpt-4o")).json()).toEqual({ forgotten: 1, limits: [] });
    expect(await learned(gateway)).toEqual([]);
  });

  it("is not needed for an unknown model: the guess grows with what succeeds", async () => {
    const simulator = await simulate({ window: 131_072 });
    const gateway = await gatewayFor(simulator.url);
    const { answered, folded, last } = await talk(gateway, "nobody-knows-me", 14, 160, { max_tokens: 8_000 });
    expect([answered, folded]).toEqual([14, 0]);
    expect(Number(last.get("x-midfold-window"))).toBeGreaterThan(60_000);
    expect(simulator.counts.overflows).toBe(0);
  });
});

describe("silent truncation", () => {
  it("B7.74 shows as a plateau of the bill, after which the conversation is folded", async () => {
    const simulator = await simulate({ window: 4_096, flavour: "ollama" });
    const gateway = await gatewayFor(simulator.url);
    const { answered, last } = await talk(gateway, "qwen3", 24);
    expect(answered).toBe(24);
    expect(Number(last.get("x-midfold-window"))).toBeLessThanOrEqual(4_352);
    expect(simulator.counts.truncated).toBeLessThanOrEqual(4);
    expect(gateway.lines.some(({ msg }) => msg === "the upstream cut a request without saying so")).toBe(true);
  });

  it("is not seen where only uncached tokens are billed, nor does that spoil our counts", async () => {
    const simulator = await simulate({ window: 24_000, billing: "uncached" });
    for (const route of [{}, { window: 24_000 }]) {
      const gateway = await gatewayFor(simulator.url, route);
      const { answered } = await talk(gateway, "qwen3", 30, 30);
      expect(answered).toBe(30);
      expect(await learned(gateway)).toEqual([]);
      const drift = await (await fetch(`${gateway.url}/api/console/drift`)).json();
      for (const { ratio } of drift.models) expect(Math.abs(ratio - 1)).toBeLessThan(0.35);
    }
    expect(simulator.counts).toMatchObject({ overflows: 0, invalid: 0 });
  });

  it("is not seen where tokens are bytes divided by four", async () => {
    const upstream = await startUpstream((body, response) =>
      answer(response, Math.ceil(JSON.stringify(body).length / 4)),
    );
    const gateway = await gatewayFor(upstream.url, { window: 32_000 });
    const { answered, folded } = await talk(gateway, "qwen3", 30);
    expect([answered, folded]).toEqual([30, 0]);
    expect(await learned(gateway)).toEqual([]);
  });

  it("is seen in a stream whose last frame bills up to a hundredth more or less each time", async () => {
    const jitter = [0.01, -0.008, 0.003, -0.01, 0.007, -0.002];
    let calls = 0;
    let whole = 0;
    const upstream = await startUpstream((body, response) => {
      const tokens = Math.ceil(JSON.stringify(body.messages).length / 4.6);
      if (tokens > 16_000) whole++;
      const read = Math.round(Math.min(tokens, 16_000) * (1 + (jitter[calls++ % jitter.length] ?? 0)));
      const chunk = (more: object) =>
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [], ...more })}\n\n`;
      const choice = { index: 0, delta: { role: "assistant", content: "ok" }, finish_reason: "stop" };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk({ choices: [choice] }));
      const usage = { prompt_tokens: read, completion_tokens: 1, total_tokens: read + 1 };
      response.end(`${chunk({ usage })}data: [DONE]\n\n`);
    });
    const gateway = await gatewayFor(upstream.url);
    // A client that goes on from where another gateway left it: already longer than what is read.
    const options = { stream: true, stream_options: { include_usage: true }, from: 22 };
    const { answered, last } = await talk(gateway, "qwen3", 6, 40, options);
    expect(answered).toBe(6);
    expect(Number(last.get("x-midfold-window"))).toBeLessThanOrEqual(16_384);
    expect(whole).toBeLessThanOrEqual(4);
  });

  it("only warns where the window is configured", async () => {
    const simulator = await simulate({ window: 4_096, flavour: "ollama" });
    const gateway = await gatewayFor(simulator.url, { window: 24_000 });
    const { last } = await talk(gateway, "qwen3", 20);
    expect(last.get("x-midfold-window")).toBe("24000");
    expect(gateway.lines.some(({ msg }) => msg === "the upstream cut a request without saying so")).toBe(true);
  });
});

describe("a refusal", () => {
  it("lowers the limit on the answer first, by the figures the upstream states", async () => {
    const upstream = await startUpstream((body, response) => {
      const asked = Number(body.max_tokens ?? 0);
      if (21_130 + asked <= 40_000) answer(response, 21_130);
      else
        refuse(response, `input length and \`max_tokens\` exceed context limit: 21130 + ${asked} > 40000, decrease it`);
    });
    const gateway = await gatewayFor(upstream.url, { tools: "preserve" });
    const messages = [{ role: "user", content: words(1_600) }];
    const response = await gateway.post(path, { model: "gpt-4o", max_tokens: 32_000, messages });
    expect(response.status).toBe(200);
    expect(upstream.bodies).toHaveLength(2);
    const [first, second] = upstream.bodies.map((text) => JSON.parse(text));
    expect(first.max_tokens).toBeGreaterThan(18_870);
    expect(second.max_tokens).toBeGreaterThan(18_000);
    expect(second.messages).toEqual(first.messages);
  });

  it("never makes Midfold send the same bytes twice, and ends in the upstream's own words", async () => {
    const words413 =
      "This model's maximum context length is 900 tokens. However, your messages resulted in 950 tokens.";
    const upstream = await startUpstream((_, response) => refuse(response, words413));
    const gateway = await gatewayFor(upstream.url);
    const body = { model: "gpt-4o", messages: [{ role: "user", content: words(80) }] };
    const response = await gateway.post(path, body);
    expect(response.status).toBe(400);
    expect((await response.json()).error.message).toBe(words413);
    expect(new Set(upstream.bodies).size).toBe(upstream.bodies.length);
    const translated = await gateway.post("/v1/messages", { ...body, max_tokens: 100 });
    expect(translated.status).toBe(400);
    const { message } = (await translated.json()).error;
    expect(message).toContain("prompt is too long: 950 tokens > 900 maximum");
    expect(message).toContain(words413);
  });

  it("in words nobody knows is an overflow when one of its two numbers is what was sent, and only then", async () => {
    const sizes = { limit: 3_000, factor: 1 };
    const upstream = await startUpstream((body, response) => {
      const tokens = Math.ceil(JSON.stringify(body.messages).length / 4.6);
      if (tokens <= sizes.limit) answer(response, tokens);
      else
        refuse(response, `Sequence of ${tokens * sizes.factor} positions is over the ${sizes.limit} of this context.`);
    });
    const gateway = await gatewayFor(upstream.url);
    const body = { model: "gpt-4o", messages: turns(20) };
    expect((await gateway.post(path, body)).status).toBe(200);
    expect((await learned(gateway))[0]?.contextWindow).toBe(3_000);
    sizes.factor = 40;
    const other = await gatewayFor(upstream.url);
    const refused = await other.post(path, body);
    expect(refused.status).toBe(400);
    expect(await learned(other)).toEqual([]);
  });

  it("of an answer as long as the client asks for is learned, kept from then on, listed and forgotten", async () => {
    const upstream = await startUpstream((body, response) => {
      const asked = Number(body.max_tokens ?? body.max_completion_tokens);
      if (asked > 8_192) refuse(response, "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]");
      else answer(response, 20);
    });
    const gateway = await gatewayFor(upstream.url, { window: 65_536 });
    const ask = () =>
      gateway.post("/v1/messages", {
        ...{ model: "deepseek-chat", max_tokens: 32_000, messages: [{ role: "user", content: "hi" }] },
      });
    expect((await ask()).status).toBe(200);
    const second = await ask();
    expect([second.status, second.headers.get("x-midfold-output-limit")]).toEqual([200, "8192"]);
    expect(upstream.bodies).toHaveLength(3);
    expect(await learned(gateway)).toMatchObject([{ contextWindow: null, maxOutputTokens: 8_192 }]);
    expect((await fetch(`${gateway.url}/api/learned`, { method: "DELETE" })).status).toBe(200);
    expect((await ask()).status).toBe(200);
    expect(upstream.bodies).toHaveLength(5);
  });

  it("by a server that counts more than we do and enforces input and answer together costs one try, then none", async () => {
    const simulator = await simulate({ window: 32_768, flavour: "vllm", countScale: 1.016 });
    const gateway = await gatewayFor(simulator.url, { window: 32_768 });
    const { answered } = await talk(gateway, "gpt-4o", 12, 300, { max_tokens: 32_000 });
    expect(answered).toBe(12);
    expect(simulator.counts.overflows).toBeLessThanOrEqual(2);
    expect(simulator.counts.invalid).toBe(0);
  });
});

describe("an upstream that says not now", () => {
  it("is asked once: the client has retries of its own", async () => {
    const upstream = await startUpstream((_, response) => refuse(response, "Slow down, please.", 429));
    const gateway = await gatewayFor(upstream.url);
    const body = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] };
    for (let i = 1; i <= 3; i++) {
      const response = await gateway.post(path, body);
      expect(response.status).toBe(429);
      expect((await response.json()).error.message).toBe("Slow down, please.");
      expect(upstream.bodies).toHaveLength(i);
    }
  });

  it("keeps one model from being asked, not the others, and only for whom it failed", async () => {
    const upstream = await startUpstream((body, response) =>
      body.model === "broken" ? refuse(response, "boom", 500) : answer(response, 10),
    );
    const gateway = await gatewayFor(upstream.url);
    const ask = (model: string, key: string) =>
      gateway.post(path, { model, messages: [{ role: "user", content: "hi" }] }, { authorization: `Bearer ${key}` });
    for (let i = 0; i < 6; i++) await ask("broken", "sk-anna");
    expect(upstream.bodies).toHaveLength(5);
    expect((await ask("whole", "sk-anna")).status).toBe(200);
    await ask("broken", "sk-bert");
    expect(upstream.bodies).toHaveLength(7);
  });
});

it("what goes on from an answer that the upstream keeps is not folded: the calls it answers are not in it", async () => {
  const sentence =
    "This model's maximum context length is 16000 tokens. However, your messages resulted in 16800 tokens.";
  const upstream = await startUpstream((_, response) => refuse(response, sentence));
  const gateway = await startGateway({
    env: { KEY: "sk-upstream" },
    yaml: JSON.stringify({
      upstreams: { sim: { baseUrl: `${upstream.url}/v1`, apiKeyEnv: "KEY", protocol: "openai-responses" } },
      routes: [{ model: "*", upstream: "sim", window: 16_000 }],
    }),
  });
  open.push(gateway);
  const request = {
    model: "m",
    previous_response_id: "resp_1",
    input: [{ type: "function_call_output", call_id: "call_1", output: words(2_000) }],
  };
  const reply = await gateway.post("/v1/responses", request);
  expect(reply.status).toBe(400);
  expect((await reply.json()).error.message).toBe(sentence);
  expect(upstream.bodies.map((body) => JSON.parse(body))).toEqual([request]);
});
