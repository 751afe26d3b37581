import { startSimulator } from "@midfold/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "../testing/start-gateway.ts";

const open: { close(): Promise<unknown> | undefined }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const words = (n: number, seed: string) => `${seed} ${"The quick brown fox jumps over the lazy dog. ".repeat(n)}`;
const tools = [{ type: "function", function: { name: "read", parameters: { type: "object", properties: {} } } }];
const exchange = (id: string, result: string) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "read", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: id, content: result },
];

async function send(route: object, messages: readonly object[], offered: readonly object[] = tools) {
  const simulator = await startSimulator({ protocol: "openai-chat", window: 8_000 });
  const gateway = await startGateway({
    env: { KEY: "sk-upstream" },
    yaml: JSON.stringify({
      upstreams: { sim: { baseUrl: `${simulator.url}/v1`, apiKeyEnv: "KEY" } },
      routes: [{ model: "*", upstream: "sim", window: 8_000, ...route }],
    }),
  });
  open.push(simulator, gateway);
  const reply = await gateway.post("/v1/chat/completions", { model: "gpt-4o", tools: offered, messages });
  const sent = simulator.requests.find(({ method }) => method === "POST")?.body as { messages: { role: string }[] };
  return { simulator, gateway, reply, sent: sent?.messages ?? [] };
}

describe("tool exchanges", () => {
  it("B7.72 stay whole: every call that goes out has its result, and every result its call", async () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Read everything." },
      ...Array.from({ length: 40 }, (_, i) => exchange(`call_${i}`, words(40, `Result ${i}.`))).flat(),
      { role: "user", content: "What did the last one say?" },
    ];
    for (const route of [{}, { preset: "agent" }]) {
      const { simulator, reply, sent } = await send(route, messages);
      expect(reply.status).toBe(200);
      expect(simulator.counts).toMatchObject({ answered: 1, invalid: 0, overflows: 0 });
      expect(sent[0]).toEqual(messages[0]);
      expect(sent.at(-1)).toEqual(messages.at(-1));
    }
  });

  it("B7.75 a single result larger than the window loses its middle, and is not refused", async () => {
    const huge = `${words(5, "It begins.")}${words(3_000, "")}${words(5, "")}It ends.`;
    const { simulator, reply, sent } = await send({}, [
      { role: "user", content: "Read it." },
      ...exchange("call_1", huge),
    ]);
    expect(reply.status).toBe(200);
    expect(simulator.counts).toMatchObject({ answered: 1, invalid: 0, overflows: 0 });
    const text = JSON.stringify(sent.find(({ role }) => role === "tool"));
    expect(text.length).toBeLessThan(huge.length / 3);
    expect(text).toContain("It begins.");
    expect(text).toContain("It ends.");
  });

  it("a clipped newest result stays as it was sent while the conversation goes on", async () => {
    const task = { role: "user", content: "Read it." };
    const first = [task, ...exchange("call_1", `${words(700, "It begins.")}It ends.`)];
    const { simulator, gateway, reply, sent } = await send({}, first);
    expect([reply.status, reply.headers.get("x-midfold-outcome")]).toEqual([200, "folded"]);
    const messages = [...first, { role: "assistant", content: "Done." }, { role: "user", content: "Thanks." }];
    const next = await gateway.post("/v1/chat/completions", { model: "gpt-4o", tools, messages });
    expect([next.status, next.headers.get("x-midfold-outcome")]).toEqual([200, "reused"]);
    const last = simulator.requests.filter(({ method }) => method === "POST").at(-1)?.body as { messages: unknown[] };
    expect(last.messages.slice(0, sent.length)).toEqual(sent);
  });

  it("the newest result is shown whole where only the room for a long answer is in its way", async () => {
    const task = { role: "user", content: "Read everything; the vault is called MERGANSER." };
    const early = Array.from({ length: 4 }, (_, i) =>
      exchange(`call_${i}`, words(40, `Port ${5430 + i} is taken.`)),
    ).flat();
    const newest = exchange("call_9", words(40, "The newest."));
    // Of the 5 900 tokens beside a comfortable answer the tools leave a few dozen, or some hundred.
    for (const [length, route] of [
      [582, {}],
      [582, { preset: "agent" }],
      [540, {}],
    ] as const) {
      const offered = [{ ...tools[0], function: { ...tools[0]?.function, description: words(length, "") } }];
      const { simulator, reply, sent } = await send(route, [task, ...early, ...newest], offered);
      expect(reply.status).toBe(200);
      expect(simulator.counts).toMatchObject({ answered: 1, invalid: 0, overflows: 0 });
      expect(sent[0]).toEqual(task);
      expect(sent.slice(-2)).toEqual(newest);
      expect(JSON.stringify(sent)).toContain("5433");
    }
  });
});
