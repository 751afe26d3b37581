import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "@midfold/store";
import { afterEach, describe, expect, it, vi } from "vitest";
import { loadConfig } from "./config/load-config.ts";
import { type GatewayUnderTest, startGateway } from "./testing/start-gateway.ts";

let gateway: GatewayUnderTest | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

const start = async (...options: Parameters<typeof startGateway>) => {
  gateway = await startGateway(...options);
  return gateway;
};

describe("a server that starts again", () => {
  it("closes replies that were cut off, with the text that had arrived, before anybody looks", async () => {
    const folder = mkdtempSync(join(tmpdir(), "midfold-start-"));
    const store = await openStore({ url: `sqlite:${join(folder, "a.db")}` });
    try {
      const owner = store.of("local");
      const { id } = await owner.sessions.create({ title: "t", model: "midfold-demo" });
      const createdAt = Date.now() - 60_000;
      const [reply] = await owner.messages.append(id, [
        { role: "assistant", parts: [], status: "streaming", createdAt },
      ]);
      const messageId = reply?.id ?? "";
      await owner.messages.saveProgress(id, messageId, [{ type: "text", text: "So far so" }]);
      // As after kill -9: taken, never released.
      await owner.leases.acquire(`reply:${id}:${messageId}`, { ttlMs: 1 });
      await start({ store });
      await expect.poll(async () => (await owner.messages.get(id, messageId)).status).toBe("interrupted");
      expect((await owner.messages.get(id, messageId)).parts[0]).toEqual({ type: "text", text: "So far so" });
      // The lease is given back once the reply is stored.
      await expect.poll(() => store.heldLeases("reply:")).toEqual([]);
    } finally {
      await gateway?.close();
      gateway = undefined;
      await store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe("a server that ends", () => {
  it("does not wait for event streams, which have no end of their own", async () => {
    const folder = mkdtempSync(join(tmpdir(), "midfold-end-"));
    const store = await openStore({ url: `sqlite:${join(folder, "a.db")}` });
    try {
      // Requests that must finish get an hour.
      const { url, close } = await start({ store, yaml: "server: { deadlines: { shutdown: 1h } }" });
      const feeds = await Promise.all(["/api/events", "/api/console/feed"].map((path) => fetch(`${url}${path}`)));
      expect(feeds.map(({ status }) => status)).toEqual([200, 200]);
      const ended = Promise.allSettled(feeds.map((feed) => feed.text()));
      await close();
      await ended;
    } finally {
      gateway = undefined;
      await store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe("readiness", () => {
  it("fails while the database cannot be written, and when it is damaged", async () => {
    const folder = mkdtempSync(join(tmpdir(), "midfold-ready-"));
    const path = join(folder, "a.db");
    const store = await openStore({ url: `sqlite:${path}` });
    try {
      const { url } = await start({ store });
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      const becomes = (status: number) =>
        expect.poll(async () => (await fetch(`${url}/readyz`)).status, { interval: 200 }).toBe(status);
      // The server's transactions end only while this thread is free, so another connection must not block it to wait for them.
      const other = new DatabaseSync(path, { timeout: 0 });
      const whenFree = (sql: string) => vi.waitFor(() => other.exec(sql), { timeout: 120_000 });
      // Nobody can write, as on a full disk.
      await whenFree("begin exclusive");
      await becomes(503);
      other.exec("rollback");
      await becomes(200);
      await whenFree("drop table settings");
      other.close();
      await becomes(503);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    } finally {
      await gateway?.close();
      gateway = undefined;
      await store.close().catch(() => undefined);
      rmSync(folder, { recursive: true });
    }
  });
});

describe("the console of one owner", () => {
  it("shows own totals only, and no upstream's name", async () => {
    const known = (tenant: string, admin: boolean) => ({ id: tenant, name: tenant, tenant, admin, limits: {} });
    const keys = new Map([
      [hash("sha256", "mf-anna"), known("anna", false)],
      [hash("sha256", "mf-ben"), known("ben", false)],
      [hash("sha256", "mf-root"), known("root", true)],
    ]);
    const { url, post } = await start({ keys, yaml: "server: { keys: required }" });
    const body = { model: "midfold-demo", messages: [{ role: "user", content: "hi" }] };
    for (let i = 0; i < 2; i++) await (await post("/v1/chat/completions", body, { "x-api-key": "mf-anna" })).text();
    const overview = async (key: string) =>
      (await fetch(`${url}/api/console/overview`, { headers: { "x-api-key": key } })).json();
    expect(await overview("mf-anna")).toMatchObject({ requests: 2 });
    const ben = await overview("mf-ben");
    expect(ben.requests).toBe(0);
    expect(new Set(ben.routes.map(({ upstream }: { upstream: string }) => upstream))).toEqual(new Set([""]));
    const root = await overview("mf-root");
    expect(root.requests).toBe(2);
    expect(root.routes.map(({ upstream }: { upstream: string }) => upstream)).toContain("demo");
  });
});

describe("a configuration that is read again", () => {
  const demo = (routes: string, server = "") => `upstreams: { d: { provider: demo } }\nroutes: [${routes}]\n${server}`;
  const read = (yaml: string) => loadConfig({ file: "test.yaml", text: yaml }, {});

  it("brings routes and the log level into force, and says what needs a restart", async () => {
    const { post, server } = await start({ yaml: demo("{ model: first, upstream: d }") });
    const ask = async (model: string) =>
      (await post("/v1/chat/completions", { model, messages: [{ role: "user", content: "hi" }] })).status;
    expect([await ask("first"), await ask("second")]).toEqual([200, 404]);
    const next = demo("{ model: second, upstream: d }", "server: { logLevel: warn, limits: { inFlight: 7 } }");
    expect(server.reload(read(next))).toEqual({
      reloaded: ["routes", "server.logLevel"],
      needsRestart: ["server.limits"],
    });
    expect([await ask("first"), await ask("second")]).toEqual([404, 200]);
  });

  it("notices a new key of an upstream", async () => {
    const { server } = await start({
      yaml: "upstreams: { u: { baseUrl: http://127.0.0.1:9/v1, apiKeyEnv: K } }\nroutes: [{ model: m, upstream: u }]",
      env: { K: "sk-old" },
    });
    const again = (key: string) =>
      server.reload(
        loadConfig(
          {
            file: "test.yaml",
            text: "upstreams: { u: { baseUrl: http://127.0.0.1:9/v1, apiKeyEnv: K } }\nroutes: [{ model: m, upstream: u }]",
          },
          { K: key },
        ),
      );
    expect(again("sk-old").reloaded).toEqual([]);
    expect(again("sk-new").reloaded).toEqual(["upstreams"]);
  });
});

describe("a server nobody configured", () => {
  it("answers all three protocols with the demo model", async () => {
    const { post } = await start();
    const hello = [{ role: "user", content: "Hello there, how are you?" }];
    const chat = await (await post("/v1/chat/completions", { model: "midfold-demo", messages: hello })).json();
    expect(chat.choices[0].message.content).toContain("Hello there");
    const messages = await post("/v1/messages?beta=true", { model: "midfold-demo", max_tokens: 100, messages: hello });
    expect((await messages.json()).content[0].text).toContain("Hello there");
    const responses = await (
      await post("/v1/responses", { model: "midfold-demo", input: "Hello there, how are you?" })
    ).json();
    expect(responses.output[0].content[0].text).toContain("Hello there");
  });

  it.each([
    ["/v1/chat/completions", { messages: [{ role: "user", content: "Hi you" }] }, "data: [DONE]"],
    ["/v1/messages", { max_tokens: 50, messages: [{ role: "user", content: "Hi you" }] }, "event: message_stop"],
    ["/v1/responses", { input: "Hi you" }, "event: response.completed"],
  ])("streams %s to its proper end", async (path, body, end) => {
    const { post } = await start();
    const response = await post(path, { model: "midfold-demo", stream: true, ...body });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const text = await response.text();
    expect(text).toContain(end);
    expect(text).toContain("Hi");
  });

  it("says what it is, how it is, and what it serves", async () => {
    const { url } = await start();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: "ready" });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain("midfold_in_flight");
    const openai = await (await fetch(`${url}/v1/models`)).json();
    expect(openai.data.map(({ id }: { id: string }) => id)).toContain("midfold-demo");
    const anthropic = await (
      await fetch(`${url}/v1/models`, { headers: { "anthropic-version": "2023-06-01" } })
    ).json();
    expect(anthropic).toMatchObject({ has_more: false });
    expect((await (await fetch(`${url}/openapi.json`)).json()).openapi).toMatch(/^3\.1/);
  });

  it("counts tokens without sending anything", async () => {
    const { post } = await start();
    const body = { model: "claude-sonnet-4-5", messages: [{ role: "user", content: "How many tokens is this?" }] };
    const { input_tokens } = await (await post("/v1/messages/count_tokens", body)).json();
    expect(input_tokens).toBeGreaterThan(5);
    expect(input_tokens).toBeLessThan(40);
    const counted = await (await post("/v1/responses/input_tokens", { model: "gpt-5", input: "How many?" })).json();
    expect(counted.input_tokens).toBeGreaterThan(2);
  });

  it("counts the choice of one tool by its name", async () => {
    const { post } = await start();
    const body = {
      model: "midfold-demo",
      messages: [{ role: "user", content: "How many tokens is this?" }],
      tools: [{ name: "find", input_schema: { type: "object" } }],
    };
    const count = async (tool_choice: object) =>
      (await (await post("/v1/messages/count_tokens", { ...body, tool_choice })).json()).input_tokens;
    const named = (await count({ type: "tool", name: "find" })) - (await count({ type: "auto" }));
    // The demo model counts as OpenAI's do.
    expect(named).toBe(5);
  });

  it("passes the caller's own key on, and does not answer with the demo model under another's name", async () => {
    const { post } = await start();
    const body = { model: "no-such-model", messages: [{ role: "user", content: "hi" }] };
    const refused = await post("/v1/chat/completions", body);
    expect(refused.status).toBe(404);
    expect(await refused.text()).toContain("No route serves the model");
  });

  it("a client can go on from an answer of the demo model by its id, whole or streamed", async () => {
    const { post } = await start();
    const ask = (body: object) => post("/v1/responses", { model: "midfold-demo", ...body });
    const first = await (await ask({ input: "My name is Ada." })).json();
    const second = await ask({ input: "And yours?", previous_response_id: first.id, stream: true });
    expect(second.status).toBe(200);
    const id = /"id":"(resp_[^"]+)"/.exec(await second.text())?.[1];
    const third = await ask({ input: "What is my name?", previous_response_id: id });
    expect((await third.json()).output[0].content[0].text).toContain("5 messages");
    expect((await ask({ input: "Hm?", previous_response_id: "resp_unknown" })).status).toBe(400);
  });

  it("folds what the demo model's window cannot hold, and says so", async () => {
    const { post, lines } = await start();
    const messages = Array.from({ length: 60 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: `Message ${i}. ${"The quick brown fox jumps over the lazy dog. ".repeat(20)}`,
    }));
    messages.push({ role: "user", content: "What was the first thing I said?" });
    const response = await post("/v1/chat/completions", { model: "midfold-demo-8k", messages });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-context-compressed")).toBe("true");
    expect(response.headers.get("x-midfold-break-even")).toMatch(/^calls=\d+$/);
    const original = Number(response.headers.get("x-original-tokens"));
    const compressed = Number(response.headers.get("x-compressed-tokens"));
    expect(original).toBeGreaterThan(8192);
    expect(compressed).toBeLessThan(8192);
    expect(response.headers.get("x-midfold-window")).toBe("8192");
    expect(response.headers.get("server-timing")).toMatch(/midfold;dur=/);
    expect(lines.find(({ msg }) => msg === "context compressed")).toMatchObject({
      level: 30,
      originalTokens: original,
      compressedTokens: compressed,
    });
  });
});

describe("errors", () => {
  it.each([
    [
      "/v1/messages",
      (body: { type: string; error: { type: string } }) => [body.type, body.error.type],
      ["error", "invalid_request_error"],
    ],
    ["/v1/chat/completions", (body: { error: { type: string } }) => [body.error.type], ["invalid_request_error"]],
    ["/v1/responses", (body: { error: { type: string } }) => [body.error.type], ["invalid_request_error"]],
  ])("come in the envelope of %s", async (path, read, expected) => {
    const { post } = await start();
    for (const body of ["{", "null", "[]", '{"model":3}', '{"messages":[]}', ""]) {
      const response = await post(path, body);
      expect([body, response.status]).toEqual([body, 400]);
      expect(read((await response.json()) as never)).toEqual(expected);
      expect(response.headers.get("request-id")).toMatch(/^req_/);
    }
  });

  it("tells an unknown path and a wrong method apart", async () => {
    const { url, post } = await start();
    const nothing = await post("/v1/nothing", {});
    expect(nothing.status).toBe(404);
    // Not `model_not_found`: clients would look for another model.
    expect(await nothing.json()).toMatchObject({ error: { code: "unknown_url" } });
    const wrong = await fetch(`${url}/v1/messages`);
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get("allow")).toBe("POST");
  });
});

describe("who may ask", () => {
  it("refuses to listen beyond loopback without keys", async () => {
    await start();
    await expect(gateway?.server.listen({ host: "0.0.0.0", port: 0 })).rejects.toMatchObject({
      code: "INVALID_CONFIG",
    });
  });

  it("refuses foreign hosts and origins on every route", async () => {
    const { url } = await start();
    for (const path of ["/healthz", "/v1/models", "/", "/api/console/requests", "/metrics"]) {
      const host = await rawGet(url, path, "evil.example");
      expect([path, host]).toEqual([path, 403]);
      const origin = await fetch(`${url}${path}`, { headers: { origin: "https://evil.example" } });
      expect([path, origin.status]).toEqual([path, 403]);
    }
  });

  it("takes only JSON, so that no page can post without asking", async () => {
    const { url } = await start();
    const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body: "{}" });
    expect(response.status).toBe(415);
  });
});

async function rawGet(url: string, path: string, host: string): Promise<number> {
  const { request } = await import("node:http");
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    request({ hostname, port, path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}
