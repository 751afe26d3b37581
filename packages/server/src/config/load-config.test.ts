import { inspect } from "node:util";
import { isMidfoldError } from "@midfold/core";
import { describe, expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";
import { resolveRoute } from "./resolve-route.ts";
import { upstreamOf } from "./upstream-of.ts";

const load = (text: string, env: Record<string, string> = {}) => loadConfig({ file: "midfold.yaml", text }, env);

function problemsOf(text: string, env: Record<string, string> = {}): string[] {
  try {
    load(text, env);
  } catch (error) {
    if (isMidfoldError(error, "INVALID_CONFIG")) return error.message.split("\n");
    throw error;
  }
  return [];
}

const demoRoute = "routes: [{ model: '*', upstream: { provider: demo } }]\n";

describe("without a file", () => {
  const routesTo = (env: Record<string, string>, models: string[]) => {
    const config = loadConfig(undefined, env);
    return models.map((model) => {
      const { upstream, upstreamModel } = resolveRoute(config, model);
      return `${upstream.name}:${upstreamModel}`;
    });
  };

  test("and without keys the demo model answers to every name, with a warning", () => {
    expect(routesTo({}, ["gpt-4o", "anything"])).toEqual(["demo:midfold-demo", "demo:midfold-demo"]);
    expect(loadConfig(undefined, {}).warnings.join()).toMatch(/demo model/);
    expect(loadConfig(undefined, { OPENAI_API_KEY: " " }).warnings.join()).toMatch(/demo model/);
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

  test("one key serves all names; MIDFOLD_MODEL replaces those it does not know", () => {
    expect(routesTo({ ANTHROPIC_API_KEY: "k" }, ["claude-x", "gpt-4o"])).toEqual([
      "anthropic:claude-x",
      "anthropic:gpt-4o",
    ]);
    expect(routesTo({ OPENAI_API_KEY: "k", MIDFOLD_MODEL: "gpt-4o-mini" }, ["claude-x", "gpt-4o"])).toEqual([
      "openai:gpt-4o-mini",
      "openai:gpt-4o",
    ]);
  });

  test("base URLs are honoured, and a local one needs no key", () => {
    const config = loadConfig(undefined, { OPENAI_BASE_URL: "http://127.0.0.1:8000/v1" });
    const { upstream } = resolveRoute(config, "my-model");
    expect(upstream).toMatchObject({ baseUrl: "http://127.0.0.1:8000/v1", credentials: "none", provider: "generic" });
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

describe("R0 by environment", () => {
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
    expect(resolveRoute(loadConfig(undefined, env), "x").fold).toMatchObject(expected);
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

describe("R4's compact block", () => {
  const example = `
compact:
  max_tokens: 2000
  token_threshold: 60000
  retention_window: 6
  model: google/gemini-2.0-flash-001
  prompt: "{{> system-prompt-context-summarizer.hbs }}"
  summary_tag: "summary"
`;
  test("is read as R4 4.3 writes it", () => {
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

  test("has R4's defaults", () => {
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

describe("what is wrong is named with file, line and remedy", () => {
  test.each([
    ["server:\n  prot: 1\n", "midfold.yaml:2: server.prot is not a setting. Did you mean port?"],
    ["servers: {}\n", "midfold.yaml:1: servers is not a setting. Did you mean server?"],
    ["server:\n  port: eighty\n", "midfold.yaml:2: server.port must be a number."],
    ["server:\n  port: 99999\n", "midfold.yaml:2: server.port must be at most 65535."],
    ["fold:\n  strategy: middle\n", "midfold.yaml:2: fold.strategy must be one of: middle-out, sliding-window."],
    ["fold:\n  headPercent: 120\n", "midfold.yaml:2: fold.headPercent must be at most 90."],
    ["fold:\n  head_percent: 12\n", "midfold.yaml:2: fold.head_percent is not a setting. Did you mean headPercent?"],
    ["routes:\n- model: a\n", "midfold.yaml:2: routes[1].upstream is missing."],
    [
      "routes:\n- model: a\n  upstream:\n    provider: openai\n    apikey: x\n",
      "midfold.yaml:5: routes[1].upstream.apikey is not a setting. Known here: provider, protocol, baseUrl, apiKeyEnv, credentials, headers, privateNetwork, deadlines.",
    ],
    [
      "routes:\n- model: a\n\n  upstream: nowhere\n",
      'midfold.yaml:4: There is no upstream "nowhere". Describe it under upstreams.',
    ],
    [
      "routes:\n- model: a\n  upstream: { provider: openai, apiKeyEnv: NOT_SET }\n",
      'midfold.yaml:3: The upstream "a" needs a key: set the environment variable NOT_SET.',
    ],
    [
      "upstreams:\n  x:\n    apiKeyEnv: sk-123\n",
      "midfold.yaml:3: upstreams.x.apiKeyEnv must be the name of an environment variable, not the key itself.",
    ],
    [
      "upstreams:\n  x: { baseUrl: 'https://user:pass@h.example' }\n",
      'midfold.yaml:2: The upstream "x" has a key or a query in its baseUrl. Use apiKeyEnv or headers instead.',
    ],
    [
      "server:\n  deadlines:\n    idle: soon\n",
      "midfold.yaml:3: server.deadlines.idle must be a duration such as 500ms, 30s or 2m, or a number of milliseconds.",
    ],
    [
      "server:\n  host: 0.0.0.0\n",
      "midfold.yaml:2: The server would listen on 0.0.0.0 without keys. Set server.keys to required, or server.host to 127.0.0.1.",
    ],
    ["models:\n  x: { window: 0 }\n", "midfold.yaml:2: models.x.window must be more than 0."],
    ["compact:\n  max_token: 5\n", "midfold.yaml:2: compact.max_token is not a setting. Did you mean max_tokens?"],
    ["chat:\n  thresholdPercent: 5\n", "midfold.yaml:2: chat.thresholdPercent must be at least 10."],
  ])("%j", (text, expected) => {
    expect(problemsOf(text)).toEqual([expected]);
  });

  test("broken YAML, a repeated key and an alias bomb", () => {
    expect(problemsOf("server:\n  port: [1\n")[0]).toMatch(/^midfold.yaml:\d: This is not valid YAML: /);
    expect(problemsOf("server: {}\nserver: {}\n")[0]).toMatch(/^midfold.yaml:2: This is not valid YAML: /);
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c]\n`;
    expect(problemsOf(bomb)[0]).toMatch(/^midfold.yaml/);
  });

  test("a trigger that means nothing", () => {
    expect(problemsOf(`fold:\n  trigger: 120%\n`)[0]).toMatch(/^midfold.yaml:2: The trigger "120%" is not usable/);
  });

  test("several problems are told at once", () => {
    expect(problemsOf("server: { port: x, hots: [] }\nfold: { tools: keep }\n").length).toBe(3);
  });

  test("a file of comments is an empty configuration", () => {
    expect(load("# nothing yet\n").routes.length).toBe(2);
  });
});

test("an http base URL with a key is warned about, unless it is local", () => {
  const text = (url: string) =>
    `upstreams: { x: { baseUrl: "${url}", apiKeyEnv: K } }\nroutes: [{ model: "*", upstream: x }]`;
  expect(load(text("http://models.example/v1"), { K: "k" }).warnings.join()).toMatch(/unencrypted/);
  expect(load(text("http://127.0.0.1:8000/v1"), { K: "k" }).warnings).toEqual([]);
});

test("keys make other addresses possible", () => {
  expect(load(`server: { host: 0.0.0.0, keys: required }\n${demoRoute}`).server.host).toBe("0.0.0.0");
});
