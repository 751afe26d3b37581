import { lastUserText, type Simulator, startSimulator } from "@midfold/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "../testing/start-gateway.ts";
import { temporaryStore } from "../testing/temporary-store.ts";

const open: { close(): Promise<unknown> | undefined }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const words = (n: number, seed = "") => `${seed} ${"The quick brown fox jumps over the lazy dog. ".repeat(n)}`.trim();
const turns = (n: number, length = 20) =>
  Array.from({ length: n * 2 + 1 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: words(length, `Turn ${i}.`),
  }));

const env = { KEY: "sk-upstream" };
const yamlFor = (simulator: Simulator, route: object, server: object = {}) =>
  JSON.stringify({
    server,
    upstreams: { sim: { baseUrl: `${simulator.url}/v1`, apiKeyEnv: "KEY" } },
    routes: [{ model: "*", upstream: "sim", ...route }],
  });

const posts = (simulator: Simulator) => simulator.requests.filter(({ method }) => method === "POST");

describe("requests too small to be counted", () => {
  it("teach nothing wrong, whichever preset bounds them", async () => {
    const simulator = await startSimulator({ protocol: "openai-chat" });
    const compact = { token_threshold: 60_000, retention_window: 4 };
    for (const route of [{ preset: "agent" }, { preset: "proxy" }, { preset: "compact", compact }]) {
      const gateway = await startGateway({ env, yaml: yamlFor(simulator, { window: 200_000, ...route }) });
      const body = { model: "claude-sonnet-4-5", messages: turns(12) };
      for (let i = 0; i < 3; i++) await (await gateway.post("/v1/chat/completions", body)).text();
      const overview = await (await fetch(`${gateway.url}/api/console/overview`)).json();
      expect(overview.learned).toEqual([]);
      const drift = await (await fetch(`${gateway.url}/api/console/drift`)).json();
      for (const { ratio } of drift.models) expect(Math.abs(ratio - 1)).toBeLessThan(0.4);
      await gateway.close();
    }
    await simulator.close();
  });
});

describe("calibration", () => {
  it("comes to agree with a provider that counts 40 % more", async () => {
    const simulator = await startSimulator({ protocol: "anthropic-messages", countScale: 1.6 });
    const gateway = await startGateway({
      yaml: JSON.stringify({
        upstreams: { sim: { provider: "anthropic", baseUrl: simulator.url, apiKeyEnv: "KEY" } },
        routes: [{ model: "*", upstream: "sim" }],
      }),
      env,
    });
    open.push(simulator, gateway);
    const body = { model: "claude-sonnet-4-5", max_tokens: 100, messages: turns(85, 30) };
    for (let i = 0; i < 12; i++) expect((await gateway.post("/v1/messages", body)).status).toBe(200);
    const { input_tokens } = await (await gateway.post("/v1/messages/count_tokens", body)).json();
    const billed = posts(simulator).at(-1)?.outcome.inputTokens ?? 0;
    expect(Math.abs(input_tokens - billed) / billed).toBeLessThan(0.05);
    const drift = await (await fetch(`${gateway.url}/api/console/drift`)).json();
    expect(drift.models[0].samples).toBeGreaterThanOrEqual(8);
  });

  it("begins with a request that only our estimate calls too large: the window is stated, and the upstream reads it", async () => {
    const simulator = await startSimulator({ protocol: "anthropic-messages", window: 8_000 });
    const gateway = await startGateway({
      yaml: JSON.stringify({
        upstreams: { sim: { provider: "anthropic", baseUrl: simulator.url, apiKeyEnv: "KEY" } },
        routes: [{ model: "*", upstream: "sim", window: 8_000 }],
      }),
      env,
    });
    open.push(simulator, gateway);
    // 7 000 tokens as the simulator counts, which counts as OpenAI does; more than 8 000 as Claude's are estimated.
    const ask = (content: string) => ({
      model: "claude-sonnet-4-5",
      max_tokens: 200,
      system: words(700),
      messages: [{ role: "user", content }],
    });
    for (let turn = 0; turn < 3; turn++) {
      expect((await gateway.post("/v1/messages", ask(`Question ${turn}`))).status).toBe(200);
    }
    expect(simulator.counts).toMatchObject({ answered: 3, overflows: 0, invalid: 0 });
    // A request that is too large by the corrected count is still refused here.
    const huge = await gateway.post("/v1/messages", ask(words(400)));
    expect([huge.status, await huge.text()]).toEqual([400, expect.stringContaining("prompt is too long")]);
  });

  it("goes on with every request that was weighed and fitted, so that the margin is small before the first fold", async () => {
    const simulator = await startSimulator({ protocol: "openai-chat" });
    const gateway = await startGateway({ env, yaml: yamlFor(simulator, { window: 32_768 }) });
    open.push(simulator, gateway);
    let budget = 0;
    for (let i = 1; i <= 30; i++) {
      // In bytes more than the window has tokens: otherwise nobody would weigh it.
      const body = { model: "some-model", messages: turns(30 + i, 20) };
      const response = await gateway.post("/v1/chat/completions", body);
      await response.text();
      expect(response.headers.get("x-midfold-outcome")).toBeNull();
      budget = Number(response.headers.get("x-midfold-budget"));
    }
    const drift = await (await fetch(`${gateway.url}/api/console/drift`)).json();
    expect(drift.models[0].samples).toBeGreaterThanOrEqual(29);
    // The window less an eighth for the answer, 100, and 2 %.
    expect(budget).toBeGreaterThan((32_768 - 4_096 - 100) / 1.02);
  });

  it("of answers gives a long one the room it needs, from the next request on", async () => {
    let said = "Yes.";
    const simulator = await startSimulator({ protocol: "openai-chat", script: () => ({ text: said }) });
    const gateway = await startGateway({ env, yaml: yamlFor(simulator, { window: 32_768, maxOutput: 30_000 }) });
    open.push(simulator, gateway);
    const budget = async () => {
      const body = { model: "gpt-4o", messages: [{ role: "user", content: "Go on." }] };
      const response = await gateway.post("/v1/chat/completions", body);
      await response.text();
      return Number(response.headers.get("x-midfold-budget"));
    };
    expect(await budget()).toBe(32_768 - 8_192 - 100);
    for (let i = 0; i < 4; i++) await budget();
    expect(await budget()).toBe(32_768 - 4_096 - 100);
    said = words(600);
    await budget();
    await budget();
    expect(await budget()).toBe(32_768 - 8_192 - 100);
  });
});

describe("folds", () => {
  it("are met again after a restart, and never by another tenant", async () => {
    const store = await temporaryStore();
    const simulator = await startSimulator({ protocol: "openai-chat", window: 4_000 });
    open.push(simulator);
    const body = { model: "gpt-4o", messages: turns(25) };
    const run = async (key: string) => {
      const gateway = await startGateway({ env, yaml: yamlFor(simulator, { window: 4_000 }), store });
      const response = await gateway.post("/v1/chat/completions", body, { authorization: `Bearer ${key}` });
      await gateway.close();
      return [response.headers.get("x-midfold-outcome"), response.headers.get("x-midfold-fold")] as const;
    };
    const [first, id] = await run("sk-anna");
    expect(first).toBe("folded");
    expect(await run("sk-anna")).toEqual(["reused", id]);
    expect((await run("sk-bert"))[0]).toBe("folded");
    const [a, b] = posts(simulator).map(({ raw }) => raw.toString());
    expect(b).toBe(a);
  });
});

describe("a compact block", () => {
  it("has a model write the summary before it is needed, so that nobody waits", async () => {
    const simulator = await startSimulator({
      protocol: "openai-chat",
      script: (turn) => ({
        text: /summar/i.test(lastUserText(turn)) ? `<summary>${words(8, "The essence: fox and dog.")}</summary>` : "ok",
      }),
    });
    const compact = { token_threshold: 4_000, retention_window: 4, model: "small-model", max_tokens: 500 };
    const gateway = await startGateway({
      env,
      yaml: yamlFor(simulator, { window: 100_000, preset: "agent", compact }),
    });
    open.push(simulator, gateway);
    const body = (n: number) => ({ model: "gpt-4o", messages: turns(n) });
    expect((await gateway.post("/v1/chat/completions", body(9))).headers.get("x-context-compressed")).toBeNull();
    await simulator.waitFor(({ requests }) =>
      requests.some(({ body: sent }) => (sent as { model?: string } | undefined)?.model === "small-model"),
    );
    await expect
      .poll(() => gateway.lines.some(({ msg }) => msg === "summary prepared"), { timeout: 30_000, interval: 20 })
      .toBe(true);
    const folded = await gateway.post("/v1/chat/completions", body(12));
    expect(folded.headers.get("x-midfold-outcome")).toBe("reused");
    expect(posts(simulator).at(-1)?.raw.toString()).toContain("The essence: fox and dog.");
  });
});

describe("client keys", () => {
  it("are needed, limited, and end running streams when revoked", async () => {
    const store = await temporaryStore();
    const simulator = await startSimulator({
      protocol: "openai-chat",
      script: () => ({ text: words(8_000), stream: { delayMs: 25 } }),
    });
    const gateway = await startGateway({ env, yaml: yamlFor(simulator, {}, { keys: "required" }), store });
    open.push(simulator, gateway);
    const body = { model: "gpt-4o", stream: true, messages: [{ role: "user", content: "hi" }] };
    expect((await gateway.post("/v1/chat/completions", body)).status).toBe(401);
    expect((await gateway.post("/v1/chat/completions", body, { "x-api-key": "mf-wrong" })).status).toBe(401);
    const { key, secret } = await store.of("anna").keys.create({ name: "laptop", limits: { requestsPerMinute: 2 } });
    const headers = { authorization: `Bearer ${secret}` };
    const stream = await gateway.post("/v1/chat/completions", body, headers);
    expect(stream.status).toBe(200);
    await store.of("anna").keys.revoke(key.id);
    const text = await stream.text();
    expect(text).toContain("revoked");
    expect(text).not.toContain("[DONE]");
    await simulator.waitFor(({ counts }) => counts.aborted === 1);
    const secrets = JSON.stringify(gateway.lines);
    expect(secrets).not.toContain(secret);
    const limited = await store.of("anna").keys.create({ name: "slow", limits: { requestsPerMinute: 1 } });
    const slow = { authorization: `Bearer ${limited.secret}` };
    const whole = { ...body, stream: false };
    expect((await gateway.post("/v1/chat/completions", whole, slow)).status).toBe(200);
    const refused = await gateway.post("/v1/chat/completions", whole, slow);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("compaction", () => {
  it("by Codex's endpoint gives items that stand for the conversation, also for upstreams that know no such thing", async () => {
    const simulator = await startSimulator({
      protocol: "openai-chat",
      script: (turn) => ({
        text: /summar/i.test(lastUserText(turn)) ? `<summary>${words(6, "Handoff.")}</summary>` : "ok",
      }),
    });
    const gateway = await startGateway({ env, yaml: yamlFor(simulator, {}) });
    open.push(simulator, gateway);
    const input = turns(10).map(({ role, content }) => ({ type: "message", role, content }));
    const compacted = await (await gateway.post("/v1/responses/compact", { model: "gpt-4o", input })).json();
    expect(compacted.object).toBe("response.compaction");
    const after = [...compacted.output, { type: "message", role: "user", content: "Go on" }];
    const next = await gateway.post("/v1/responses", { model: "gpt-4o", input: after });
    expect(next.status).toBe(200);
    expect(posts(simulator).at(-1)?.raw.toString()).toContain("Handoff.");
    expect(simulator.counts.invalid).toBe(0);
  });

  it.each(["openai-chat", "openai-responses"] as const)(
    "by Codex's trigger item is answered with the one item that stands for the conversation, before %s",
    async (protocol) => {
      const simulator = await startSimulator({
        protocol,
        script: (turn) => ({
          text: /summar/i.test(lastUserText(turn)) ? `<summary>${words(6, "Handoff.")}</summary>` : "ok",
        }),
      });
      // A server of the same protocol that does not know the item refuses it in these words.
      const message = "Invalid value: 'compaction_trigger'. Supported values are: 'message', 'reasoning'.";
      if (protocol === "openai-responses") simulator.failNext({ kind: "status", status: 400, message });
      const yaml = JSON.stringify({
        upstreams: { sim: { baseUrl: `${simulator.url}/v1`, apiKeyEnv: "KEY", protocol } },
        routes: [{ model: "*", upstream: "sim" }],
      });
      const gateway = await startGateway({ env, yaml });
      open.push(simulator, gateway);
      const input = turns(10).map(({ role, content }) => ({ type: "message", role, content }));
      const ask = { model: "gpt-4o", input: [...input, { type: "compaction_trigger" }] };
      const whole = await (await gateway.post("/v1/responses", ask)).json();
      expect(whole).toMatchObject({ object: "response", status: "completed", output: [{ type: "compaction" }] });
      if (protocol === "openai-responses") simulator.failNext({ kind: "status", status: 400, message });
      const streamed = await (await gateway.post("/v1/responses", { ...ask, stream: true })).text();
      const events = [...streamed.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data as string));
      expect(events.map(({ type }) => type)).toEqual([
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.output_item.done",
        "response.completed",
      ]);
      const { item } = events[3];
      expect(item).toMatchObject({ type: "compaction", encrypted_content: expect.any(String) });
      const after = [item, { type: "message", role: "user", content: "Go on" }];
      expect((await gateway.post("/v1/responses", { model: "gpt-4o", input: after })).status).toBe(200);
      expect(posts(simulator).at(-1)?.raw.toString()).toContain("Handoff.");
      // Compacted again, the earlier summary is part of what is summed up.
      await gateway.post("/v1/responses", { model: "gpt-4o", input: [...after, { type: "compaction_trigger" }] });
      expect(posts(simulator).at(-1)?.raw.toString()).toContain("Handoff.");
      const requests = await (await fetch(`${gateway.url}/api/console/requests`)).json();
      expect(requests.items[0]).toMatchObject({ compactionRequest: true, state: "done", status: 200 });
      expect(simulator.counts.invalid).toBe(0);
    },
  );

  it("B7.76 asked for in words fits although the route keeps tool exchanges", async () => {
    const simulator = await startSimulator({ protocol: "openai-chat", window: 6_000 });
    const gateway = await startGateway({ env, yaml: yamlFor(simulator, { window: 6_000, tools: "preserve" }) });
    open.push(simulator, gateway);
    const tools = [{ type: "function", function: { name: "read", parameters: { type: "object", properties: {} } } }];
    const exchanges = Array.from({ length: 20 }, (_, i) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${i}`, type: "function", function: { name: "read", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: `c${i}`, content: words(60, `Result ${i}`) },
    ]).flat();
    const start = { role: "user", content: "Read everything." };
    const plain = await gateway.post("/v1/chat/completions", {
      model: "gpt-4o",
      tools,
      messages: [start, ...exchanges, { role: "user", content: "Go on." }],
    });
    expect(plain.status).toBe(400);
    expect(await plain.text()).toContain("tools: fold");
    const ask = { role: "user", content: "Your task is to create a detailed summary of the conversation so far." };
    const summary = await gateway.post("/v1/chat/completions", {
      model: "gpt-4o",
      tools,
      messages: [start, ...exchanges, ask],
    });
    expect(summary.status).toBe(200);
    expect(simulator.counts).toMatchObject({ overflows: 0, invalid: 0 });
    const requests = await (await fetch(`${gateway.url}/api/console/requests`)).json();
    expect(requests.items[0]).toMatchObject({ compactionRequest: true, fold: { outcome: "folded" } });
  });
});
