import { type Simulator, startSimulator } from "@midfold/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "../testing/start-gateway.ts";

const open: { close(): Promise<unknown> | undefined }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const words = (n: number, seed: string) => `${seed} ${"The quick brown fox jumps over the lazy dog. ".repeat(n)}`;
const posts = (simulator: Simulator) => simulator.requests.filter(({ method }) => method === "POST");

async function setup(protocol: "anthropic-messages" | "openai-chat", route: object = {}) {
  const simulator = await startSimulator({ protocol });
  const provider = protocol === "anthropic-messages" ? "anthropic" : "generic";
  const baseUrl = protocol === "anthropic-messages" ? simulator.url : `${simulator.url}/v1`;
  const gateway = await startGateway({
    env: { KEY: "sk-upstream" },
    yaml: JSON.stringify({
      upstreams: { sim: { provider, baseUrl, apiKeyEnv: "KEY", protocol } },
      routes: [{ model: "*", upstream: "sim", ...route }],
    }),
  });
  open.push(simulator, gateway);
  return { simulator, gateway };
}

describe("what Anthropic would refuse", () => {
  it("B1.14 thoughts that Midfold signed for another model do not reach it; everything else does, byte for byte", async () => {
    const { simulator, gateway } = await setup("anthropic-messages");
    const first = '{"role":"user","content":"What  is 1.50 +1?"}';
    const reply = await gateway.post(
      "/v1/messages",
      `{"model":"claude-sonnet-4-5","max_tokens":100,"messages":[${first},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"midfold.unsigned"},{"type":"text","text":"2.5"}]},{"role":"user","content":"And 2?"}]}`,
    );
    expect(reply.status).toBe(200);
    const [sent] = posts(simulator);
    expect(sent?.raw.toString()).toContain(first);
    expect(sent?.body).toMatchObject({ messages: [{}, { content: [{ type: "text", text: "2.5" }] }, {}] });
    expect(simulator.counts.invalid).toBe(0);
  });

  it("B1.16 a folded conversation carries at most four cache marks: those of system and tools, and the newest", async () => {
    const { simulator, gateway } = await setup("anthropic-messages", { window: 8_000 });
    const marked = { cache_control: { type: "ephemeral" } };
    const messages = Array.from({ length: 61 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text: words(20, `Turn ${i}.`), ...(i >= 55 ? marked : {}) }],
    }));
    const body = {
      model: "claude-sonnet-4-5",
      max_tokens: 500,
      system: [{ type: "text", text: "Be brief.", ...marked }],
      tools: [{ name: "read", input_schema: { type: "object", properties: {} }, ...marked }],
      messages,
    };
    const reply = await gateway.post("/v1/messages", body);
    expect(reply.headers.get("x-context-compressed")).toBe("true");
    expect(reply.status).toBe(200);
    const sent = posts(simulator)[0]?.body as typeof body;
    expect(sent.system).toEqual(body.system);
    expect(sent.tools).toEqual(body.tools);
    const marks = sent.messages.map(({ content }) => JSON.stringify(content).includes("cache_control"));
    expect(marks.filter(Boolean)).toHaveLength(2);
    // Excerpts for the question may stand between the two newest; they carry no mark.
    expect(marks.lastIndexOf(true)).toBe(marks.length - 1);
    expect(JSON.stringify(sent.messages.filter((_, at) => marks[at])[0])).toContain("Turn 59.");
  });
});

describe("a clamped answer", () => {
  it("takes thinking along when no room is left for it", async () => {
    const { simulator, gateway } = await setup("anthropic-messages", { window: 2_200 });
    const reply = await gateway.post("/v1/messages", {
      thinking: { type: "enabled", budget_tokens: 10_000 },
      model: "claude-sonnet-4-5",
      max_tokens: 32_000,
      messages: [{ role: "user", content: words(110, "Long.") }],
    });
    expect(reply.status).toBe(200);
    const sent = posts(simulator)[0]?.body as { max_tokens: number };
    expect(sent.max_tokens).toBeLessThan(1_025);
    expect(sent).not.toHaveProperty("thinking");
  });
});

describe("stream_options", () => {
  const message = "Extra inputs are not permitted: 'stream_options'";

  it.each(["/v1/chat/completions", "/v1/messages"])(
    "B1.25 are left out for a server that refuses them, once and for all: %s",
    async (path) => {
      const { simulator, gateway } = await setup("openai-chat");
      simulator.failNext({ kind: "status", status: 400, message });
      const body = {
        model: "local",
        max_tokens: 100,
        stream: true,
        ...(path === "/v1/messages" ? {} : { stream_options: { include_usage: true } }),
        messages: [{ role: "user", content: "hi" }],
      };
      expect(await (await gateway.post(path, body)).text()).toMatch(/\[DONE\]|message_stop/);
      await (await gateway.post(path, body)).text();
      expect(posts(simulator).map(({ raw }) => raw.includes("stream_options"))).toEqual([true, false, false]);
    },
  );

  it("are kept where something else was refused", async () => {
    const { simulator, gateway } = await setup("openai-chat");
    simulator.failNext({ kind: "status", status: 400, message: "temperature is too hot" });
    const body = { model: "local", stream: true, stream_options: { include_usage: true }, messages: [] };
    expect((await gateway.post("/v1/chat/completions", body)).status).toBe(400);
    expect(posts(simulator)).toHaveLength(1);
  });
});
