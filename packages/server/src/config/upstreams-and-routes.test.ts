import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";
import { resolveRoute } from "./resolve-route.ts";
import { upstreamOf } from "./upstream-of.ts";

const load = (text: string, env: Record<string, string> = {}) => loadConfig({ file: "midfold.yaml", text }, env);

describe("upstreams", () => {
  const text = `
upstreams:
  main: { provider: anthropic, apiKeyEnv: MY_KEY, deadlines: { idle: 30s, total: 10m } }
  through: { provider: openai, credentials: passthrough }
  azure: { provider: azure, baseUrl: "https://\${NAME}.example/openai/v1", apiKeyEnv: MY_KEY }
  local: { provider: vllm, headers: { X-Team: "\${NAME}" }, privateNetwork: true, protocol: [openai-responses, openai-chat] }
routes: [{ model: "*", upstream: main }]
`;
  const config = load(text, { MY_KEY: "sk-secret-123", NAME: "blue" });
  const headersOf = (name: string, callerKey?: string) =>
    upstreamOf(config, config.upstreams[name] as never, callerKey).headers;

  test("send their own key in their own header", () => {
    expect(headersOf("main", "callers")).toEqual({ "x-api-key": "sk-secret-123", "anthropic-version": "2023-06-01" });
    expect(headersOf("azure")).toEqual({ "api-key": "sk-secret-123" });
  });

  test("pass the caller's key only where that is said, and nothing when there is none", () => {
    expect(headersOf("through", "callers")).toEqual({ authorization: "Bearer callers" });
    expect(headersOf("through")).toEqual({});
    expect(headersOf("local", "callers")).toEqual({ "x-team": "blue" });
  });

  test("take addresses, protocols and deadlines from the file", () => {
    expect(config.upstreams.azure?.baseUrl).toBe("https://blue.example/openai/v1");
    expect(config.upstreams.local?.protocols).toEqual(["openai-responses", "openai-chat"]);
    expect(upstreamOf(config, config.upstreams.main as never)).toMatchObject({
      deadlines: { connect: 5_000, idle: 30_000, total: 600_000 },
    });
  });

  test("never show their key", () => {
    for (const shown of [
      JSON.stringify(config),
      inspect(config, { depth: 9 }),
      String(config.upstreams.main?.apiKey),
    ]) {
      expect(shown).not.toContain("sk-secret-123");
    }
  });
});

describe("routes", () => {
  const config = load(`
upstreams: { d: { provider: demo } }
models: { "llama*": { window: 9000 } }
routes:
- { model: "*", upstream: d, upstreamModel: fallback }
- { model: "gpt-*", upstream: d }
- { model: gpt-4o, aliases: [best, "top-*"], upstream: d, window: 50000, maxOutput: 1000 }
- { model: "or/*", upstream: d, upstreamModel: "openai/*" }
- { model: "*:*@v*", upstream: d, upstreamModel: "*/*/*" }
- { model: llama-x, upstream: d, maxOutput: 77 }
`);
  test.each([
    ["gpt-4o", "gpt-4o"],
    ["GPT-4O", "gpt-4o"],
    ["best", "gpt-4o"],
    ["top-notch", "gpt-4o"],
    ["gpt-5", "gpt-5"],
    ["or/gpt-4.1", "openai/gpt-4.1"],
    ["a:b@v3", "a/b/3"],
    ["whatever", "fallback"],
    ["__proto__", "fallback"],
  ])("%s goes upstream as %s", (model, upstreamModel) => {
    expect(resolveRoute(config, model).upstreamModel).toBe(upstreamModel);
  });

  test("windows come from the route, then models:, then the registry", () => {
    expect(resolveRoute(config, "best").model).toMatchObject({ window: 50_000, maxOutput: 1_000, known: true });
    expect(resolveRoute(config, "llama-x").model).toMatchObject({ maxOutput: 77 });
    expect(resolveRoute(config, "gpt-5").model.window).toBe(400_000);
  });

  test("a model without a route is refused with the names that have one", () => {
    const narrow = load("routes: [{ model: a, aliases: [b], upstream: { provider: demo } }]");
    expect(() => resolveRoute(narrow, "c")).toThrow(/No route serves the model "c". Served: a, b/);
  });
});

test("an http base URL with a key is warned about, unless it is local", () => {
  const text = (url: string) =>
    `upstreams: { x: { baseUrl: "${url}", apiKeyEnv: K } }\nroutes: [{ model: "*", upstream: x }]`;
  expect(load(text("http://models.example/v1"), { K: "k" }).warnings.join()).toMatch(/unencrypted/);
  expect(load(text("http://127.0.0.1:8000/v1"), { K: "k" }).warnings).toEqual([]);
});
