import { presets } from "@midfold/core";
import { describe, expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";
import { resolveRoute } from "./resolve-route.ts";

const load = (text: string, env: Record<string, string> = {}) => loadConfig({ file: "midfold.yaml", text }, env);

const demoRoute = "routes: [{ model: '*', upstream: { provider: demo } }]\n";

describe("without a file", () => {
  const routesTo = (env: Record<string, string>, models: string[]) => {
    const config = loadConfig(undefined, env);
    return models.map((model) => {
      const { upstream, upstreamModel } = resolveRoute(config, model);
      return `${upstream.name}:${upstreamModel}`;
    });
  };

  test("and without keys the callers' own are passed on; the demo answers to its own names only", () => {
    expect(routesTo({}, ["gpt-4o", "claude-sonnet-4-5", "midfold-demo-8k"])).toEqual([
      "openai:gpt-4o",
      "anthropic:claude-sonnet-4-5",
      "demo:midfold-demo",
    ]);
    const config = loadConfig(undefined, {});
    expect(resolveRoute(config, "claude-sonnet-4-5").upstream.credentials).toBe("passthrough");
    expect(resolveRoute(config, "gpt-4o").upstream.credentials).toBe("passthrough");
    expect(() => resolveRoute(config, "anything")).toThrow(/No route serves the model "anything"/);
    expect(config.warnings.join()).toMatch(/midfold-demo/);
    expect(loadConfig(undefined, { OPENAI_API_KEY: " " }).warnings.join()).toMatch(/midfold-demo/);
  });

  test("an upstream that is this server is refused at start", () => {
    const env = { ANTHROPIC_BASE_URL: "http://localhost:4141", ANTHROPIC_API_KEY: "k" };
    expect(() => loadConfig(undefined, env)).toThrow(/is this server itself/);
    expect(loadConfig(undefined, { ...env, MIDFOLD_PORT: "4242" }).server.port).toBe(4242);
  });

  test("each key brings its models", () => {
    const env = { OPENAI_API_KEY: "k1", ANTHROPIC_API_KEY: "k2", OPENROUTER_API_KEY: "k3" };
    expect(
      routesTo(env, ["gpt-4o", "o3-mini", "claude-opus-5-5", "qwen/qwen3-coder", "other", "midfold-demo"]),
    ).toEqual([
      "openai:gpt-4o",
      "openai:o3-mini",
      "anthropic:claude-opus-5-5",
      "openrouter:qwen/qwen3-coder",
      "openai:other",
      "demo:midfold-demo",
    ]);
  });

  test("one key serves all names; MIDFOLD_MODEL stands for every name", () => {
    expect(routesTo({ ANTHROPIC_API_KEY: "k" }, ["claude-x", "gpt-4o"])).toEqual([
      "anthropic:claude-x",
      "anthropic:gpt-4o",
    ]);
    expect(routesTo({ OPENAI_API_KEY: "k", MIDFOLD_MODEL: "gpt-4o-mini" }, ["claude-x", "gpt-4o"])).toEqual([
      "openai:gpt-4o-mini",
      "openai:gpt-4o-mini",
    ]);
    expect(routesTo({ MIDFOLD_MODEL: "midfold-demo" }, ["claude-x", "any"])).toEqual([
      "demo:midfold-demo",
      "demo:midfold-demo",
    ]);
    const both = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", MIDFOLD_MODEL: "claude-opus-5-5" };
    expect(routesTo(both, ["gpt-4o", "midfold-demo"])).toEqual(["anthropic:claude-opus-5-5", "demo:midfold-demo"]);
  });

  test("base URLs are honoured, and a local one needs no key", () => {
    const config = loadConfig(undefined, { OPENAI_BASE_URL: "http://127.0.0.1:8000/v1" });
    const { upstream } = resolveRoute(config, "my-model");
    expect(upstream).toMatchObject({
      baseUrl: "http://127.0.0.1:8000/v1",
      credentials: "optional",
      provider: "generic",
    });
    expect(upstream.protocols).toEqual(["openai-chat"]);
    const anthropic = loadConfig(undefined, { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "https://proxy.example" });
    expect(resolveRoute(anthropic, "claude-x").upstream.baseUrl).toBe("https://proxy.example");
  });

  test("OpenAI itself speaks chat and Responses", () => {
    const { upstream } = resolveRoute(loadConfig(undefined, { OPENAI_API_KEY: "k" }), "gpt-4o");
    expect(upstream.protocols).toEqual(["openai-chat", "openai-responses"]);
  });

  test("the server listens on loopback with keys off", () => {
    expect(loadConfig(undefined, {}).server).toMatchObject({
      host: "127.0.0.1",
      port: 4141,
      keys: "none",
      capture: false,
      requestLog: { keep: 100_000, maxAge: 2_592_000_000 },
    });
    expect(loadConfig(undefined, { MIDFOLD_PORT: "0", MIDFOLD_DATABASE: "none" }).server).toMatchObject({
      port: 0,
      database: "none",
    });
  });
});

describe("by environment", () => {
  test("defaults: middle-out, 20 %, tools clipped, the proxy preset, on", () => {
    expect(loadConfig(undefined, {}).fold).toMatchObject({
      enabled: true,
      preset: "proxy",
      strategy: "middle-out",
      headPercent: 20,
      tools: "clip",
    });
  });

  test("strategy, head percent, tools and preset can be set", () => {
    const env = {
      CONTEXT_COMPRESSION_STRATEGY: "sliding-window",
      CONTEXT_COMPRESSION_HEAD_PERCENT: "35",
      CONTEXT_COMPRESSION_TOOLS: "fold",
      MIDFOLD_PRESET: "agent",
    };
    const expected = { strategy: "sliding-window", headPercent: 35, tools: "fold", preset: "agent" };
    expect(loadConfig(undefined, env).fold).toMatchObject(expected);
    expect(resolveRoute(loadConfig(undefined, env), "midfold-demo").fold).toMatchObject(expected);
  });

  test("the environment beats fold:, a route beats the environment", () => {
    const config = load(
      "fold: { headPercent: 10, tools: preserve }\nroutes:\n- { model: a, upstream: d }\n- { model: b, upstream: d, headPercent: 50 }\nupstreams: { d: { provider: demo } }",
      { CONTEXT_COMPRESSION_HEAD_PERCENT: "30" },
    );
    expect(resolveRoute(config, "a").fold).toMatchObject({ headPercent: 30, tools: "preserve" });
    expect(resolveRoute(config, "b").fold).toMatchObject({ headPercent: 50, tools: "preserve" });
  });

  test("DISABLE_CONTEXT_COMPRESSION turns folding off everywhere and warns at start", () => {
    const config = load(`fold: { enabled: true }\n${demoRoute}`, { DISABLE_CONTEXT_COMPRESSION: "true" });
    expect(resolveRoute(config, "x").fold.enabled).toBe(false);
    expect(config.warnings.join()).toMatch(/disabled by DISABLE_CONTEXT_COMPRESSION/);
    expect(loadConfig(undefined, { DISABLE_CONTEXT_COMPRESSION: "false" }).fold.enabled).toBe(true);
  });

  test.each([
    [
      { CONTEXT_COMPRESSION_STRATEGY: "middleout" },
      /CONTEXT_COMPRESSION_STRATEGY: "middleout".*middle-out, sliding-window/,
    ],
    [{ CONTEXT_COMPRESSION_HEAD_PERCENT: "lots" }, /CONTEXT_COMPRESSION_HEAD_PERCENT: "lots".*0 to 90/],
    [{ MIDFOLD_PORT: "http" }, /MIDFOLD_PORT: "http" is not a port/],
  ])("%j is refused by name", (env, expected) => {
    expect(() => loadConfig(undefined, env)).toThrow(expected);
  });
});

describe("the compact block", () => {
  const example = `
compact:
  max_tokens: 2000
  token_threshold: 60000
  retention_window: 6
  model: google/gemini-2.0-flash-001
  prompt: "{{> system-prompt-context-summarizer.hbs }}"
  summary_tag: "summary"
`;
  test("is read as an agent's configuration writes it", () => {
    expect(load(example + demoRoute).fold).toMatchObject({
      preset: "compact",
      compact: {
        maxTokens: 2_000,
        tokenThreshold: 60_000,
        retentionWindow: 6,
        model: "google/gemini-2.0-flash-001",
        prompt: "{{> system-prompt-context-summarizer.hbs }}",
        summaryTag: "summary",
      },
    });
  });

  test("has the documented defaults", () => {
    expect(load(`compact: {}\n${demoRoute}`).fold.compact).toEqual({
      maxTokens: 2_000,
      tokenThreshold: 60_000,
      messageThreshold: undefined,
      turnThreshold: undefined,
      retentionWindow: 6,
      model: undefined,
      prompt: undefined,
      summaryTag: "summary",
    });
  });

  test("may stand in a route, with another preset and other thresholds", () => {
    const config = load(
      "routes:\n- model: a\n  upstream: { provider: demo }\n  preset: agent\n  compact: { token_threshold: null, message_threshold: 40, turn_threshold: 12 }",
    );
    expect(resolveRoute(config, "a").fold).toMatchObject({
      preset: "agent",
      compact: { tokenThreshold: undefined, messageThreshold: 40, turnThreshold: 12 },
    });
  });
});

test("keys make other addresses possible", () => {
  expect(load(`server: { host: 0.0.0.0, keys: required }\n${demoRoute}`).server.host).toBe("0.0.0.0");
});

test("a ladder may name every rung of every preset", () => {
  for (const [name, { rungs }] of Object.entries(presets)) {
    if (rungs.length === 0) continue;
    const text = `routes: [{ model: '*', upstream: { provider: demo }, ladder: [${rungs.join(", ")}] }]\n`;
    expect(load(text).routes[0], name).toMatchObject({ fold: { ladder: rungs } });
  }
});
