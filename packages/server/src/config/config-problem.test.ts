import { isMidfoldError } from "@midfold/core";
import { describe, expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";

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
    expect(load("# nothing yet\n").routes).toEqual(loadConfig(undefined, {}).routes);
  });
});
