import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@midfold/store";
import { type SimulatedProtocol, type Simulator, type SimulatorOptions, startSimulator } from "@midfold/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { type GatewayUnderTest, type StartGatewayOptions, startGateway } from "../testing/start-gateway.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const sent = (simulator: Simulator) => simulator.requests.find(({ method }) => method === "POST");

interface Setup {
  readonly simulator: Simulator;
  readonly gateway: GatewayUnderTest;
}

const words = (n: number, seed = "") => `${seed} ${"The quick brown fox jumps over the lazy dog. ".repeat(n)}`.trim();

async function setup(
  upstream: SimulatorOptions,
  route: Record<string, unknown> = {},
  options: StartGatewayOptions = {},
): Promise<Setup> {
  const simulator = await startSimulator(upstream);
  const protocol = Array.isArray(upstream.protocol) ? upstream.protocol : [upstream.protocol];
  const anthropic = protocol.includes("anthropic-messages");
  const gateway = await startGateway({
    yaml: JSON.stringify({
      upstreams: {
        sim: {
          provider: anthropic ? "anthropic" : "generic",
          protocol,
          baseUrl: anthropic ? simulator.url : `${simulator.url}/v1`,
          apiKeyEnv: "SIM_KEY",
        },
      },
      routes: [{ model: "*", upstream: "sim", ...route }],
    }),
    env: { SIM_KEY: "sk-upstream-secret" },
    ...options,
  });
  open.push(simulator, gateway);
  return { simulator, gateway };
}

type Turns = readonly { readonly role: "user" | "assistant"; readonly content: string }[];

/** One conversation as each protocol asks for it. */
const ask: Record<
  SimulatedProtocol,
  { path: string; body(turns: Turns, extra?: object): object; text(answer: never): string }
> = {
  "openai-chat": {
    path: "/v1/chat/completions",
    body: (messages, extra) => ({ model: "gpt-4o", messages, ...extra }),
    text: (answer: { choices: { message: { content: string } }[] }) => answer.choices[0]?.message.content ?? "",
  },
  "anthropic-messages": {
    path: "/v1/messages",
    body: (messages, extra) => ({ model: "gpt-4o", max_tokens: 500, messages, ...extra }),
    text: (answer: { content: { text: string }[] }) => answer.content[0]?.text ?? "",
  },
  "openai-responses": {
    path: "/v1/responses",
    body: (messages, extra) => ({ model: "gpt-4o", input: messages, ...extra }),
    text: (answer: { output: { content: { text: string }[] }[] }) => answer.output[0]?.content[0]?.text ?? "",
  },
};
const protocols = Object.keys(ask) as SimulatedProtocol[];
const pairs = protocols.flatMap((client) => protocols.map((upstream) => [client, upstream] as const));
const longTurns: Turns = [
  ...Array.from({ length: 40 }, (_, i) => ({
    role: i % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: words(24, `Turn ${i}.`),
  })),
  { role: "user", content: "And what was the last question?" },
];

describe.each(pairs)("%s in, %s out", (client, upstream) => {
  it("answers whole and streamed", async () => {
    const { simulator, gateway } = await setup({ protocol: upstream, script: () => ({ text: "Hello from upstream" }) });
    const { path, body, text } = ask[client];
    const turns: Turns = [{ role: "user", content: "Hi" }];
    const whole = await gateway.post(path, body(turns));
    expect(whole.status).toBe(200);
    expect(text((await whole.json()) as never)).toBe("Hello from upstream");
    const streamed = await gateway.post(path, body(turns, { stream: true }));
    const events = await streamed.text();
    expect(events).toMatch(/Hello/);
    expect(events).toMatch(/\[DONE\]|message_stop|response\.completed/);
    expect(simulator.counts).toMatchObject({ answered: 2, invalid: 0 });
    expect(sent(simulator)?.headers["x-api-key"] ?? sent(simulator)?.headers.authorization).toContain(
      "sk-upstream-secret",
    );
  });

  it("B7.71 B7.73 B7.78 folds to the upstream's window, validly, and keeps the prefix as the conversation grows", async () => {
    // A model's name that is not Claude's says nothing about how Anthropic counts: it is counted as Claude.
    const countScale = upstream === "anthropic-messages" && client !== upstream ? 1.6 : 1;
    const { simulator, gateway } = await setup(
      { protocol: upstream, window: 7_500 * countScale, countScale, script: () => ({ text: "ok" }) },
      { window: 7_500 * countScale },
    );
    const { path, body } = ask[client];
    const turns = [...longTurns];
    for (let i = 0; i < 4; i++) {
      const response = await gateway.post(path, body(turns, i % 2 === 0 ? {} : { stream: true }));
      expect(response.status).toBe(200);
      expect(response.headers.get("x-context-compressed")).toBe("true");
      const sizes = ["x-original-tokens", "x-compressed-tokens"].map((name) => Number(response.headers.get(name)));
      expect(sizes[0]).toBeGreaterThan(sizes[1] as number);
      await response.text();
      turns.push({ role: "assistant", content: `answer ${i}` }, { role: "user", content: `question ${i}` });
    }
    expect(simulator.counts).toMatchObject({ requests: 4, answered: 4, overflows: 0, invalid: 0 });
    const outcomes = simulator.requests.map(({ outcome }) => outcome);
    const [first, ...later] = outcomes.filter(({ inputTokens }) => inputTokens !== undefined);
    for (const outcome of later) expect(outcome.cachedTokens).toBeGreaterThan((first?.inputTokens ?? 0) * 0.9);
  });

  it("B7.74 learns the real window from a refusal and tries once more before the client sees anything", async () => {
    const { simulator, gateway } = await setup({ protocol: upstream, window: 4_000, script: () => ({ text: "fits" }) });
    const { path, body, text } = ask[client];
    const response = await gateway.post(path, body(longTurns));
    expect(response.status).toBe(200);
    expect(text((await response.json()) as never)).toBe("fits");
    // OpenAI's Responses API names no figures.
    if (upstream !== "openai-responses") expect(response.headers.get("x-midfold-window")).toBe("4000");
    expect(Number(response.headers.get("x-midfold-window"))).toBeLessThan(10_000);
    expect(simulator.counts).toMatchObject({ overflows: 1, answered: 1, invalid: 0 });
    // What was learned holds for the next request.
    expect((await gateway.post(path, body(longTurns))).status).toBe(200);
    expect(simulator.counts).toMatchObject({ overflows: 1, answered: 2 });
  });

  it("B7.77 says in the client's own words that nothing helps", async () => {
    const { gateway } = await setup({ protocol: upstream, window: 1_000 }, { window: 1_000 });
    const { path, body } = ask[client];
    const huge: Turns = [{ role: "user", content: words(400) }];
    const response = await gateway.post(path, body(huge));
    expect(response.status).toBe(400);
    const message = await response.text();
    expect(message).toMatch(
      {
        "openai-chat": /maximum context length is 1000 tokens.*resulted in (\d+) tokens/,
        "anthropic-messages": /prompt is too long: (\d+) tokens > 1000 maximum/,
        "openai-responses": /context window/,
      }[client],
    );
    // The sizes are the real ones: 400 sentences of ten tokens for OpenAI's models; others are estimated on the safe side.
    expect(message).toMatch(/Midfold could not fold it further: The conversation needs at least \d+ tokens/);
    const sizes = [...message.matchAll(/(?:resulted in|too long:|needs at least|last user message) (\d+)/g)];
    expect(sizes).toHaveLength(client === "openai-responses" ? 2 : 3);
    for (const [, size] of sizes) {
      expect(Number(size)).toBeGreaterThan(3_990);
      expect(Number(size)).toBeLessThan(upstream === "anthropic-messages" ? 7_000 : 4_100);
    }
    // There are no tool exchanges that another setting would let go.
    expect(message).not.toContain("tools: fold");
    const streamed = await gateway.post(path, body(huge, { stream: true }));
    expect(streamed.status).toBe(client === "openai-responses" ? 200 : 400);
    if (client === "openai-responses")
      expect(await streamed.text()).toMatch(/response\.failed[\s\S]*context_length_exceeded/);
  });
});

it("a last message that alone is too large is clipped where the preset allows it, and a header says how much is left", async () => {
  const { simulator, gateway } = await setup(
    { protocol: "openai-chat", window: 2_000 },
    { window: 2_000, preset: "agent" },
  );
  const { path, body } = ask["openai-chat"];
  const response = await gateway.post(path, body([{ role: "user", content: words(400) }]));
  expect(response.status).toBe(200);
  const [, tokens, sent] = /^last-message; tokens=(\d+); sent=(\d+)$/.exec(response.headers.get("x-midfold-clipped")!)!;
  expect(Number(tokens)).toBeGreaterThan(3_990);
  expect(Number(sent)).toBeLessThan(1_500);
  expect(JSON.stringify(simulator.requests.at(-1)!.body)).toContain("[Output truncated...]");
  expect(
    (await gateway.post(path, body([{ role: "user", content: "hi" }]))).headers.get("x-midfold-clipped"),
  ).toBeNull();
});

describe("bytes", () => {
  it("pass through untouched when nothing has to change", async () => {
    const { simulator, gateway } = await setup({
      protocol: "openai-chat",
      unknownFields: "ignore",
      script: () => ({ text: "ok" }),
    });
    const raw =
      '{ "model" : "gpt-4o", "seed": 12345678901234567890,  "x":1.50e2, "messages":[{"role":"user","content":"Hi \\u00e9"}] }';
    await gateway.post("/v1/chat/completions", raw);
    expect(sent(simulator)?.raw.toString()).toBe(raw);
  });

  it("of kept messages stay the same when others are folded", async () => {
    const { simulator, gateway } = await setup(
      { protocol: "openai-chat", window: 3_000, unknownFields: "ignore" },
      { window: 3_000 },
    );
    const messages = longTurns.map((turn) => JSON.stringify(turn).replace('"role":', '"role" : '));
    const raw = `{"model":"gpt-4o","seed":12345678901234567890,"messages":[${messages.join(" , ")}]}`;
    expect((await gateway.post("/v1/chat/completions", raw)).status).toBe(200);
    const bytes = sent(simulator)?.raw.toString() ?? "";
    expect(bytes).toContain('"seed":12345678901234567890');
    expect(bytes).toContain(messages.at(-1));
    expect(bytes.length).toBeLessThan(raw.length);
  });

  it("only the model's name changes for an alias", async () => {
    const { simulator, gateway } = await setup(
      { protocol: "openai-chat", unknownFields: "ignore" },
      { upstreamModel: "gpt-4o" },
    );
    await gateway.post(
      "/v1/chat/completions",
      '{"model":"mine", "messages":[{"role":"user","content":"x"}], "seed":1e3}',
    );
    expect(sent(simulator)?.raw.toString()).toBe(
      '{"model":"gpt-4o", "messages":[{"role":"user","content":"x"}], "seed":1e3}',
    );
  });
});

describe("switching it off", () => {
  it("forwards an oversized request unchanged when the header says so", async () => {
    const { simulator, gateway } = await setup({ protocol: "openai-chat", window: 3_000 }, { window: 3_000 });
    const raw = JSON.stringify(ask["openai-chat"].body(longTurns));
    const response = await gateway.post("/v1/chat/completions", raw, { "x-disable-compression": "true" });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("maximum context length");
    expect(response.headers.get("x-context-compressed")).toBeNull();
    expect(response.headers.get("x-midfold-budget")).toBeNull();
    expect(sent(simulator)?.raw.toString()).toBe(raw);
    expect(sent(simulator)?.headers["x-disable-compression"]).toBeUndefined();
    expect(simulator.counts.requests).toBe(1);
  });

  it("is global with DISABLE_CONTEXT_COMPRESSION", async () => {
    const { simulator, gateway } = await setup(
      { protocol: "openai-chat", window: 3_000 },
      { window: 3_000 },
      { env: { SIM_KEY: "k", DISABLE_CONTEXT_COMPRESSION: "true" } },
    );
    expect((await gateway.post("/v1/chat/completions", ask["openai-chat"].body(longTurns))).status).toBe(400);
    expect(simulator.counts.requests).toBe(1);
  });
});

describe("limits on the answer", () => {
  it("are lowered to what the window leaves, and header and record say so", async () => {
    const { simulator, gateway } = await setup(
      { protocol: "anthropic-messages", window: 8_000 },
      { window: 8_000, maxOutput: 8_000 },
    );
    const response = await gateway.post("/v1/messages", {
      model: "claude-sonnet-4-5",
      max_tokens: 128_000,
      messages: longTurns,
    });
    expect(response.status).toBe(200);
    expect(simulator.counts).toMatchObject({ overflows: 0, invalid: 0, answered: 1 });
    const { max_tokens } = (sent(simulator)?.body ?? {}) as { max_tokens?: number };
    expect(max_tokens).toBeGreaterThanOrEqual(4_000);
    expect(max_tokens).toBeLessThan(8_000);
    expect(response.headers.get("x-midfold-output-limit")).toBe(String(max_tokens));
    const [record] = (await (await fetch(`${gateway.url}/api/console/requests`)).json()).items;
    const { warnings } = await (await fetch(`${gateway.url}/api/console/requests/${record.id}`)).json();
    expect(warnings).toEqual([
      {
        code: "output-limit-lowered",
        message: expect.stringMatching(new RegExp(`up to 128000 tokens; the window leaves ${max_tokens}\\b`)),
      },
    ]);
  });

  it("stay where they leave room for the input, also above half of the window, and no header claims otherwise", async () => {
    const { simulator, gateway } = await setup(
      { protocol: "openai-chat", window: 8_192 },
      { window: 8_192, maxOutput: 8_192 },
    );
    const body = { model: "gpt-4o", max_tokens: 4_097, messages: [{ role: "user", content: "Hello" }] };
    const response = await gateway.post("/v1/chat/completions", body);
    expect(sent(simulator)?.body).toMatchObject({ max_tokens: 4_097 });
    expect(response.headers.get("x-midfold-output-limit")).toBeNull();
    expect(response.headers.get("x-midfold-budget")).toBe("3995");
  });
});

describe("previous_response_id", () => {
  it.each(["openai-chat", "anthropic-messages"] as const)(
    "works before %s, for whoever got the answer",
    async (protocol) => {
      const { simulator, gateway } = await setup({ protocol, script: (turn) => ({ text: `answer ${turn.index}` }) });
      const post = (body: object, key = "sk-anna") =>
        gateway.post("/v1/responses", { model: "gpt-4o", ...body }, { authorization: `Bearer ${key}` });
      const first = await (await post({ input: "My name is Anna." })).json();
      const streamed = await (await post({ input: "And yours?", previous_response_id: first.id, stream: true })).text();
      const second = JSON.parse(/event: response\.completed\ndata: (.+)/.exec(streamed)?.[1] ?? "{}").response;
      const third = await post({ input: "What is my name?", previous_response_id: second.id });
      expect(third.status).toBe(200);
      const raw = simulator.requests.findLast(({ method }) => method === "POST")?.raw.toString() ?? "";
      const places = ["My name is Anna.", "answer", "And yours?", "What is my name?"].map((words) =>
        raw.indexOf(words),
      );
      expect(places.every((place, i) => place > (places[i - 1] ?? 0))).toBe(true);
      expect(simulator.counts.invalid).toBe(0);
      const stolen = await post({ input: "What is her name?", previous_response_id: second.id }, "sk-bert");
      expect(stolen.status).toBe(400);
      expect(await stolen.text()).toContain("previous_response_not_found");
      const unkept = await (await post({ input: "Forget this.", store: false })).json();
      expect((await post({ input: "What?", previous_response_id: unkept.id })).status).toBe(400);
    },
  );

  it("works on another replica, after a restart, and never for another caller", async () => {
    const folder = mkdtempSync(join(tmpdir(), "midfold-"));
    const url = `sqlite:${join(folder, "test.db")}`;
    const stores = [await openStore({ url }), await openStore({ url })] as const;
    try {
      const upstream = {
        protocol: "openai-chat",
        script: (turn: { index: number }) => ({ text: `answer ${turn.index}` }),
      } as const;
      const first = await setup(upstream, {}, { store: stores[0] });
      const second = await setup(upstream, {}, { store: stores[1] });
      const post = ({ gateway }: Setup, body: object, key = "sk-anna") =>
        gateway.post("/v1/responses", { model: "gpt-4o", ...body }, { authorization: `Bearer ${key}` });
      const one = await (await post(first, { input: "My name is Anna." })).json();
      const streamed = await (
        await post(second, { input: "And yours?", previous_response_id: one.id, stream: true })
      ).text();
      const two = JSON.parse(/event: response\.completed\ndata: (.+)/.exec(streamed)?.[1] ?? "{}").response;
      const restarted = await setup(upstream, {}, { store: stores[0] });
      expect((await post(restarted, { input: "What is my name?", previous_response_id: two.id })).status).toBe(200);
      const raw = restarted.simulator.requests.findLast(({ method }) => method === "POST")?.raw.toString() ?? "";
      const said = ["My name is Anna.", "answer", "And yours?", "What is my name?"];
      const places = said.map((part) => raw.indexOf(part));
      expect(places.every((place, i) => place > (places[i - 1] ?? 0))).toBe(true);
      expect(raw.split("My name is Anna.").length).toBe(2);
      const stolen = await post(restarted, { input: "And hers?", previous_response_id: two.id }, "sk-bert");
      expect(await stolen.text()).toContain("previous_response_not_found");
    } finally {
      for (const each of open.splice(0).reverse()) await each.close();
      for (const store of stores) await store.close();
      rmSync(folder, { recursive: true });
    }
  });
});
