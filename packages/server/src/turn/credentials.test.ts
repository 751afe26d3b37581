import { startSimulator } from "@midfold/testkit";
import { type Attributes, type Span, type Tracer, trace } from "@opentelemetry/api";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "../testing/start-gateway.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
  trace.disable();
});
const hello = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] };

async function setup(upstream: object) {
  const simulator = await startSimulator({ protocol: "openai-chat" });
  const gateway = await startGateway({
    env: { KEY: "sk-managed-secret" },
    yaml: JSON.stringify({
      upstreams: { sim: { baseUrl: `${simulator.url}/v1`, ...upstream } },
      routes: [{ model: "*", upstream: "sim" }],
    }),
  });
  open.push(simulator, gateway);
  return { simulator, gateway, sent: () => simulator.requests.filter(({ method }) => method === "POST") };
}

describe("credentials", () => {
  it("are the configured ones where they are managed, whatever the caller sends", async () => {
    const { gateway, sent } = await setup({ apiKeyEnv: "KEY" });
    await gateway.post("/v1/chat/completions", hello, { authorization: "Bearer sk-caller", "x-api-key": "sk-caller" });
    expect(sent()[0]?.headers).toMatchObject({ authorization: "Bearer sk-managed-secret" });
    expect(sent()[0]?.headers["x-api-key"]).toBeUndefined();
  });

  it("are the caller's own where they are passed through, and nobody else's when there are none", async () => {
    const { gateway, sent } = await setup({ credentials: "passthrough" });
    await gateway.post("/v1/chat/completions", hello, { authorization: "Bearer sk-caller-secret" });
    expect(sent()[0]?.headers.authorization).toBe("Bearer sk-caller-secret");
    const refused = await gateway.post("/v1/chat/completions", hello);
    expect(sent()[1]?.headers.authorization).toBeUndefined();
    // The upstream's own words: it is the caller's key that is missing.
    expect(refused.status).toBe(401);
    expect(JSON.stringify(gateway.lines)).not.toContain("sk-caller-secret");
  });
});

describe("an address in the environment, without a key", () => {
  const setupFrom = async (protocol: "openai-chat" | "anthropic-messages", yaml?: (url: string) => object) => {
    const simulator = await startSimulator({ protocol });
    const name = protocol === "openai-chat" ? "OPENAI_BASE_URL" : "ANTHROPIC_BASE_URL";
    const env = { [name]: protocol === "openai-chat" ? `${simulator.url}/v1` : simulator.url };
    const gateway = await startGateway(yaml === undefined ? { env } : { yaml: JSON.stringify(yaml(simulator.url)) });
    open.push(simulator, gateway);
    const keys = () =>
      simulator.requests
        .filter(({ method }) => method === "POST")
        .map(({ headers }) => headers.authorization ?? headers["x-api-key"]);
    return { gateway, keys };
  };
  const claude = { ...hello, model: "claude-sonnet-4-5", max_tokens: 10 };

  it("gets the key of callers who speak its kind of protocol, as it would without Midfold", async () => {
    const openai = await setupFrom("openai-chat");
    await openai.gateway.post("/v1/chat/completions", hello, { authorization: "Bearer sk-caller" });
    await openai.gateway.post("/v1/responses", { model: "gpt-4o", input: "hi" }, { authorization: "Bearer sk-caller" });
    await openai.gateway.post("/v1/embeddings", { model: "e", input: "hi" }, { authorization: "Bearer sk-caller" });
    expect(openai.keys()).toEqual(["Bearer sk-caller", "Bearer sk-caller", "Bearer sk-caller"]);
    const anthropic = await setupFrom("anthropic-messages");
    await anthropic.gateway.post("/v1/messages", claude, { "x-api-key": "sk-ant-caller" });
    await anthropic.gateway.post("/v1/messages", claude, { authorization: "Bearer sk-ant-oat01-caller" });
    expect(anthropic.keys()).toEqual(["sk-ant-caller", "Bearer sk-ant-oat01-caller"]);
  });

  it("does not get a key that is meant for another provider, and is asked without one", async () => {
    const { gateway, keys } = await setupFrom("openai-chat");
    await gateway.post("/v1/messages", claude, { authorization: "Bearer sk-ant-oat01-caller" });
    await gateway.post("/v1/chat/completions", hello);
    expect(keys()).toEqual([undefined, undefined]);
  });

  it("is the same in a file for Anthropic and OpenAI, and for no other server unless it says so", async () => {
    const file = (provider: string, more: object) => (url: string) => ({
      upstreams: { a: { provider, baseUrl: provider === "anthropic" ? url : `${url}/v1`, ...more } },
      routes: [{ model: "*", upstream: "a" }],
    });
    const own = await setupFrom("anthropic-messages", file("anthropic", {}));
    await own.gateway.post("/v1/messages", claude, { "x-api-key": "sk-ant-caller" });
    expect(own.keys()).toEqual(["sk-ant-caller"]);
    const other = await setupFrom("openai-chat", file("vllm", {}));
    await other.gateway.post("/v1/chat/completions", hello, { authorization: "Bearer sk-caller" });
    expect(other.keys()).toEqual([undefined]);
    const asked = await setupFrom("openai-chat", file("vllm", { credentials: "optional" }));
    await asked.gateway.post("/v1/chat/completions", hello, { authorization: "Bearer sk-caller" });
    expect(asked.keys()).toEqual(["Bearer sk-caller"]);
  });
});

describe("telemetry", () => {
  it("tells a tracer what a turn was, in the words of the GenAI conventions", async () => {
    const spans: { name: string; attributes: Attributes; ended: boolean }[] = [];
    const tracer = {
      startSpan: (name: string) => {
        const span = { name, attributes: {} as Attributes, ended: false };
        spans.push(span);
        return {
          isRecording: () => true,
          setAttributes: (attributes: Attributes) => Object.assign(span.attributes, attributes),
          setAttribute: (key: string, value: string) => Object.assign(span.attributes, { [key]: value }),
          setStatus: () => undefined,
          end: () => {
            span.ended = true;
          },
        } as unknown as Span;
      },
    } as unknown as Tracer;
    trace.setGlobalTracerProvider({ getTracer: () => tracer });
    const { gateway } = await setup({ apiKeyEnv: "KEY" });
    await (await gateway.post("/v1/chat/completions", hello)).text();
    await expect.poll(() => spans[0]?.ended).toBe(true);
    expect(spans[0]?.name).toBe("chat gpt-4o");
    expect(spans[0]?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "gpt-4o",
      "gen_ai.response.model": "gpt-4o",
      "gen_ai.conversation.compacted": false,
      "http.response.status_code": 200,
    });
    expect(spans[0]?.attributes["gen_ai.usage.input_tokens"]).toBeGreaterThan(0);
  });
});

describe("a refused key", () => {
  it.each([401, 403])("reaches the client with status %i and the upstream's words, without the key", async (status) => {
    const { gateway, simulator } = await setup({ apiKeyEnv: "KEY" });
    const message = "Your key sk-managed-secret may not use this model.";
    simulator.failNext({ kind: "status", status, message }, 2);
    for (const path of ["/v1/chat/completions", "/v1/messages"]) {
      const refused = await gateway.post(path, { ...hello, max_tokens: 10 });
      const text = await refused.text();
      expect(refused.status).toBe(status);
      expect(text).toContain("may not use this model");
      expect(text).not.toContain("managed-secret");
    }
  });
});
