import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { startSimulator } from "@midfold/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CliContext } from "./context.ts";
import { runCli } from "./run-cli.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "midfold-cli-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(args: readonly string[], input = "", extra: Partial<CliContext> = {}): Promise<Ran> {
  let out = "";
  let err = "";
  const code = await runCli(args, {
    env: { MIDFOLD_DATABASE: `sqlite:${join(folder, "midfold.db")}` },
    cwd: folder,
    stdin: Readable.from([input]),
    write: (text) => {
      out += text;
    },
    warn: (text) => {
      err += text;
    },
    isTerminal: false,
    canAsk: false,
    onSignal: () => undefined,
    onCrash: () => undefined,
    exit: () => undefined,
    ...extra,
  });
  return { code, out, err };
}

const long = Array.from({ length: 61 }, (_, i) => ({
  role: i % 2 === 0 ? "user" : "assistant",
  content: `Message ${i}. ${"The quick brown fox jumps over the lazy dog. ".repeat(15)}`,
}));

describe("midfold fold", () => {
  it("makes a list fit, from standard input, and says what it did", async () => {
    const { code, out, err } = await run(["fold", "--model", "gpt-4o", "--budget", "3000"], JSON.stringify(long));
    expect(code).toBe(0);
    const folded = JSON.parse(out);
    expect(folded.length).toBeLessThan(long.length);
    expect(folded.at(-1)).toEqual(long.at(-1));
    // On a slow machine progress lines come before it.
    expect(err).toMatch(/^folded: \d+ → \d+ tokens \(budget 3000/m);
  });

  it("folds a whole request body and leaves the rest of it alone", async () => {
    const body = {
      model: "claude-sonnet-4-5",
      max_tokens: 100,
      system: "Be brief.",
      messages: long,
      metadata: { a: 1 },
    };
    const file = join(folder, "request.json");
    writeFileSync(file, JSON.stringify(body));
    const { code, out } = await run(["fold", file, "--window", "5k"]);
    expect(code).toBe(0);
    const { messages, ...rest } = JSON.parse(out);
    const { messages: _, ...before } = body;
    expect(rest).toEqual(before);
    expect(messages.length).toBeLessThan(long.length);
  });

  it("says what is wrong, and exits with 1", async () => {
    expect(await run(["fold"], "not json")).toMatchObject({ code: 1, err: expect.stringContaining("it is not JSON") });
    const cut = await run(["fold"], '[{"role":"user","content":"hel');
    expect(cut).toMatchObject({ code: 1, err: expect.stringMatching(/Standard input is not valid JSON: .*position/) });
    const none = await run(["fold", join(folder, "none.json")]);
    expect(none).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Cannot read .*none\.json: there is no such file/),
    });
    const impossible = await run(["fold", "--budget", "5"], JSON.stringify(long));
    expect(impossible).toMatchObject({ code: 1, err: expect.stringMatching(/budget|tokens/) });
  });

  it("exits with 2 when the command is not understood", async () => {
    expect((await run(["fold", "--budget", "many"], "[]")).code).toBe(2);
    expect((await run(["fold", "--preset", "nonsense"], "[]")).code).toBe(2);
    expect(await run(["fodl"])).toMatchObject({ code: 2, err: expect.stringContaining("Did you mean fold?") });
    const misspelt = await run(["fold", "--modle", "gpt-4o"]);
    expect(misspelt).toMatchObject({ code: 2, err: expect.stringContaining("Did you mean --model?") });
  });

  it("reads a session of Claude Code as it lies on disk", async () => {
    const lines = long.map(({ role, content }, index) =>
      JSON.stringify({ type: role, uuid: `u${index}`, message: { role, content }, timestamp: "2026-01-01T00:00:00Z" }),
    );
    const { code, out } = await run(["fold", "--budget", "3000", "-m", "claude-sonnet-4-5"], lines.join("\n"));
    expect(code).toBe(0);
    expect(JSON.parse(out).length).toBeLessThan(long.length);
    expect(JSON.parse(out).at(-1)).toEqual(long.at(-1));
  });

  it("reads Markdown with a heading per speaker", async () => {
    const { code, out } = await run(["count", "-m", "gpt-4o"], "## User\n\nHello\n\n## Assistant\n\nHi there\n");
    expect(code).toBe(0);
    expect(out).toMatch(/^\d+ tokens \(exact/);
  });
});

describe("midfold count, plan, inspect", () => {
  it("counts", async () => {
    const { out } = await run(
      ["count", "--model", "gpt-4o", "--json"],
      JSON.stringify([{ role: "user", content: "hello world" }]),
    );
    expect(JSON.parse(out)).toMatchObject({ exact: true, messages: 1, window: 128_000 });
    expect(JSON.parse(out).tokens).toBe(9);
    expect((await run(["count", "-m", "gpt-4o"], JSON.stringify(long))).out).toMatch(/^\d+ tokens \(exact/);
  });

  it("counts a forced tool with the rest of the request", async () => {
    const body = {
      model: "claude-sonnet-4-5",
      max_tokens: 10,
      messages: [{ role: "user", content: "hello" }],
      tools: [{ name: "look", description: "Looks", input_schema: { type: "object" } }],
    };
    const tokens = async (choice?: object) =>
      JSON.parse((await run(["count", "--json"], JSON.stringify({ ...body, ...choice }))).out).tokens as number;
    expect(await tokens({ tool_choice: { type: "any" } })).toBeGreaterThan(await tokens());
  });

  it("shows a plan without carrying it out", async () => {
    const { out, code } = await run(["plan", "--model", "gpt-4o", "--budget", "3000"], JSON.stringify(long));
    expect(code).toBe(0);
    expect(out).toMatch(/budget 3000/);
    expect(out).toMatch(/messages \d+–\d+\s+(?:fold|keep)/);
    const plan = JSON.parse((await run(["plan", "--budget", "3000", "--json"], JSON.stringify(long))).out);
    expect(plan.decisions.length).toBe(plan.atoms.length);
    const short = JSON.stringify([{ role: "user", content: "hello world" }]);
    expect((await run(["plan", "-m", "gpt-4o"], short)).out).toMatch(/^9 tokens now.*Nothing has to be done/s);
  });

  it("says when it does not know the model", async () => {
    const hello = JSON.stringify([{ role: "user", content: "hello" }]);
    for (const command of ["count", "plan", "inspect", "fold"]) {
      expect((await run([command, "-m", "brand-new-model"], hello)).err).toMatch(/warning: .*brand-new-model/);
    }
  });

  it("shows where the tokens are", async () => {
    const { out } = await run(["inspect", "--model", "gpt-4o", "--top", "2"], JSON.stringify(long));
    expect(out).toMatch(/openai-chat, 61 messages/);
    expect(out).toMatch(/user +31/);
    expect(out.split("largest:\n")[1]?.trim().split("\n").length).toBe(2);
  });
});

describe("one default for all commands", () => {
  it("is the same model and window wherever nothing names one", async () => {
    const input = JSON.stringify(long);
    const counted = JSON.parse((await run(["count", "--json"], input)).out);
    const inspected = JSON.parse((await run(["inspect", "--json"], input)).out);
    const folded = JSON.parse((await run(["fold", "--json"], input)).out);
    const replayed = JSON.parse((await run(["replay", "--json", "--presets", "agent"], input)).out);
    expect(counted).toMatchObject({ model: "gpt-4o", window: 128_000 });
    expect([inspected.window, folded.tokens.window, replayed.window]).toEqual([128_000, 128_000, 128_000]);
    expect(inspected.tokens).toBe(counted.tokens);
    expect(folded.tokens.before).toBe(counted.tokens);
    expect(JSON.parse((await run(["count", "--json", "--window", "16k"], input)).out).window).toBe(16_000);
  });
});

describe("a chat export with several chats", () => {
  const chat = (title: string, words: string) => ({
    title,
    current_node: "b",
    mapping: {
      a: { message: { author: { role: "user" }, content: { parts: [words] } }, parent: null },
      b: { message: { author: { role: "assistant" }, content: { parts: ["Fine."] } }, parent: "a" },
    },
  });
  const file = JSON.stringify([
    chat("Holiday", "Where to?"),
    chat("Tax return", "What is due?"),
    chat("Taxi", "How far?"),
  ]);

  it("lists them when none is chosen", async () => {
    const { code, err } = await run(["count"], file);
    expect(code).toBe(1);
    expect(err).toMatch(/holds 3 chats.*--chat.*1 {2}Holiday \(2 messages.*3 {2}Taxi/s);
  });

  it("takes the one with the number or the title", async () => {
    const first = async (which: string) => JSON.parse((await run(["fold", "--chat", which], file)).out)[0].content;
    expect(await first("2")).toBe("What is due?");
    expect(await first("holi")).toBe("Where to?");
    expect((await run(["fold", "--chat", "tax"], file)).err).toContain('2 chats that match "tax"');
    expect((await run(["fold", "--chat", "4"], file)).err).toContain('no chat "4"');
  });
});

describe("midfold replay", () => {
  it("draws a saw-tooth per preset and what each costs", async () => {
    const { code, out } = await run(
      ["replay", "-m", "gpt-4o", "--window", "6k", "--presets", "agent,proxy"],
      JSON.stringify(long),
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^31 requests, gpt-4o, window 6000/);
    expect(out).toMatch(/▼/);
    expect(out).toMatch(/as it is +0 +[1-9]/);
    expect(out).toMatch(/agent +[1-9]\d* +0 .*\$\d/);
  });

  it("never sends more than fits, and bills what stayed the same as cached", async () => {
    const { out } = await run(["replay", "-m", "gpt-4o", "--budget", "3000", "--json"], JSON.stringify(long));
    const { replays } = JSON.parse(out);
    expect(replays.map(({ name }: { name: string }) => name)).toEqual(["as it is", "agent", "chat", "proxy"]);
    const [asItIs, agent] = replays;
    expect(asItIs.overflows).toBeGreaterThan(10);
    expect(agent).toMatchObject({ overflows: 0 });
    expect(agent.largest).toBeLessThanOrEqual(3000);
    expect(agent.folds).toBeLessThan(agent.turns.length / 2);
    expect(agent.cached).toBeGreaterThan(agent.sent / 2);
    expect(agent.cost).toBeGreaterThan(0);
    expect((await run(["replay", "--presets", "agnet"], "[]")).code).toBe(2);
  });
});

describe("midfold models, sessions, config, completion", () => {
  it("lists models with their windows, and marks guesses", async () => {
    expect((await run(["models", "gpt-4o-mini"])).out).toMatch(/gpt-4o-mini +128000 +16384 +exact .* openai/);
    const [row] = JSON.parse((await run(["models", "some-new-model", "--json"])).out);
    expect(row).toMatchObject({ model: "some-new-model", known: false, counting: "estimated" });
  });

  it("lists sessions of Claude Code and Codex, and chats, newest first, without making a database", async () => {
    const env = { HOME: folder };
    expect((await run(["sessions"], "", { env })).err).toContain("No conversations");
    const write = (path: string, lines: readonly object[]) => {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), lines.map((line) => JSON.stringify(line)).join("\n"));
    };
    write(".claude/projects/p/a.jsonl", [
      { type: "user", message: { role: "user", content: "<command>init</command>" } },
      { type: "user", message: { role: "user", content: [{ type: "text", text: "Fix the tests" }] } },
    ]);
    write(".codex/sessions/2026/b.jsonl", [
      { payload: { role: "user", content: [{ type: "input_text", text: "Write docs" }] } },
    ]);
    const { out } = await run(["sessions"], "", { env });
    expect(out).toMatch(/claude .*Fix the tests .*a\.jsonl/);
    expect(out).toMatch(/codex .*Write docs .*b\.jsonl/);
    expect(JSON.parse((await run(["sessions", "--json", "--limit", "1"], "", { env })).out)).toHaveLength(1);
    expect(existsSync(join(folder, "midfold.db"))).toBe(false);
  });

  it("says where each setting comes from, and keeps keys to itself", async () => {
    const yaml = [
      "server:",
      "  port: 5000",
      "  logLevel: warn",
      "upstreams:",
      "  mine: { baseUrl: http://127.0.0.1:9/v1, apiKeyEnv: MY_KEY }",
      "routes:",
      "  - model: '*'",
      "    upstream: mine",
      "    headPercent: 30",
    ];
    writeFileSync(join(folder, "midfold.yaml"), yaml.join("\n"));
    const env = { MIDFOLD_PORT: "6000", MY_KEY: "sk-very-secret", MIDFOLD_PRESET: "chat" };
    const { out } = await run(["config", "show", "--sources"], "", { env });
    expect(out).toMatch(/^server\.port +6000 +MIDFOLD_PORT$/m);
    expect(out).toMatch(/^server\.logLevel +warn +midfold\.yaml:3$/m);
    expect(out).toMatch(/^server\.host +127\.0\.0\.1 +default$/m);
    expect(out).toMatch(/^upstreams\.mine\.baseUrl .* midfold\.yaml:5$/m);
    expect(out).toMatch(/^routes\.0\.fold\.headPercent +30 +midfold\.yaml:9$/m);
    expect(out).toMatch(/^routes\.0\.fold\.preset +chat +MIDFOLD_PRESET$/m);
    expect(out).not.toContain("sk-very-secret");
    expect(JSON.parse((await run(["config", "show", "--json"], "", { env })).out)).toMatchObject({
      "server.port": 6000,
    });
  });

  it("completes every command and its options", async () => {
    const { out } = await run(["completion", "bash"]);
    for (const word of ["serve wrap init", "--log-level", "add list revoke", "bash zsh fish"])
      expect(out).toContain(word);
    const script = `${out}\nCOMP_WORDS=(midfold fold --pre); COMP_CWORD=2; _midfold; echo "\${COMPREPLY[*]}"`;
    expect(execFileSync("bash", ["-c", script], { encoding: "utf8" })).toBe("--preset\n");
    expect((await run(["completion", "zsh"])).out).toContain("#compdef midfold");
    expect((await run(["completion", "fish"])).out).toContain("complete -c midfold");
  });
});

describe("midfold init", () => {
  it("tests what it is given and writes a configuration that works", async () => {
    const simulator = await startSimulator({ protocol: "openai-chat" });
    try {
      const flags = ["--provider", "generic", "--base-url", `${simulator.url}/v1`, "--key-env", "TEST_KEY"];
      const env = { TEST_KEY: "sk-simulated", MIDFOLD_DATABASE: "none" };
      const done = await run(["init", ...flags, "--json"], "", { env });
      expect(done).toMatchObject({ code: 0 });
      expect(JSON.parse(done.out).checked).toContain("reachable");
      expect(readFileSync(join(folder, "midfold.yaml"), "utf8")).toContain("apiKeyEnv: TEST_KEY");
      expect((await run(["doctor"], "", { env })).out).toMatch(/ok {4}upstream generic/);
      const again = await run(["init", ...flags], "", { env });
      expect(again).toMatchObject({ code: 1, err: expect.stringContaining("--force") });
    } finally {
      await simulator.close();
    }
  });

  it("writes nothing when the provider does not answer, and says what it needs where nobody can be asked", async () => {
    const flags = ["--provider", "generic", "--base-url", "http://127.0.0.1:9/v1"];
    expect((await run(["init", ...flags])).code).toBe(1);
    expect(existsSync(join(folder, "midfold.yaml"))).toBe(false);
    expect(await run(["init"])).toMatchObject({ code: 1, err: expect.stringContaining("--provider") });
    expect((await run(["init", ...flags, "--no-check"])).code).toBe(0);
  });

  it("reads keys from the file beside the configuration, below the environment", async () => {
    writeFileSync(join(folder, "midfold.env"), 'MIDFOLD_PRESET="chat"\nMIDFOLD_PORT=7000\n');
    const { out } = await run(["config", "show"], "", { env: { MIDFOLD_PORT: "7001" } });
    expect(out).toMatch(/^fold\.preset +chat$/m);
    expect(out).toMatch(/^server\.port +7001$/m);
  });
});

describe("midfold wrap", () => {
  it("says what is missing, and prints the line instead of running it", async () => {
    const env = { PATH: folder, MIDFOLD_PORT: "9" };
    expect(await run(["wrap", "--url", "http://127.0.0.1:9", "claude"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("No Midfold answers at http://127.0.0.1:9"),
    });
    expect(await run(["wrap", "no-such-agent"], "", { env })).toMatchObject({
      code: 1,
      err: expect.stringContaining("no-such-agent could not be started: it is not installed"),
    });
    const dry = await run(["wrap", "--dry-run", "codex", "--", "exec", "hi"], "", { env });
    expect(dry.out).toMatch(/^MIDFOLD_KEY=any codex -c .* exec hi\n$/);
    const asJson = await run(["wrap", "--dry-run", "--json", "claude", "--", "-p", "hi"], "", { env });
    expect(JSON.parse(asJson.out)).toMatchObject({
      command: "claude",
      args: ["-p", "hi"],
      env: { ANTHROPIC_AUTH_TOKEN: "any", ENABLE_TOOL_SEARCH: "true" },
      unset: ["ANTHROPIC_API_KEY"],
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("says where its own options belong instead of giving them to the agent", async () => {
    const env = { PATH: folder, MIDFOLD_PORT: "9" };
    expect(await run(["wrap", "claude", "--dry-run", "--", "-p", "hi"], "", { env })).toMatchObject({
      code: 1,
      err: expect.stringContaining("midfold wrap --dry-run claude -- -p hi"),
    });
    expect(await run(["wrap", "codex", "--url=http://127.0.0.1:9", "--", "exec"], "", { env })).toMatchObject({
      code: 1,
      err: expect.stringContaining("midfold wrap --url=http://127.0.0.1:9 codex -- exec"),
    });
    const agentsOwn = await run(["wrap", "--dry-run", "claude", "--model", "opus", "-p", "hi"], "", { env });
    expect(agentsOwn.out).toContain("claude --model opus -p hi");
  });
});

describe("numbers and files that are wrong", () => {
  it("are refused in a sentence", async () => {
    expect(await run(["keys", "add", "x", "--rpm", "abc"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("positive whole number"),
    });
    expect((await run(["inspect", "--top", "2.5"], "[]")).code).toBe(2);
    expect((await run(["plan", "--window", "16q"], "[]")).err).toContain("such as 16000 or 16k");
    expect((await run(["fold"], "")).err).toContain("Standard input is empty. Name a file");
    expect((await run(["serve", "--log-level", "banana"])).err).toContain("Allowed choices are debug");
    expect(await run(["restore", "nofile"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^midfold: There is no backup at .*nofile\.\n$/),
    });
  });
});

describe("midfold keys, backup, restore", () => {
  it("makes a key that is shown once, lists it, revokes it", async () => {
    const added = await run(["keys", "add", "laptop", "--rpm", "60"]);
    expect(added.code).toBe(0);
    const secret = added.out.trim();
    expect(secret.length).toBeGreaterThan(20);
    const listed = await run(["keys", "list"]);
    expect(listed.out).toContain("laptop");
    expect(listed.out).not.toContain(secret);
    const id = listed.out.split(/\s+/)[0] ?? "";
    expect((await run(["keys", "revoke", id])).code).toBe(0);
    expect((await run(["keys", "list"])).out).toContain("revoked");
    expect(readFileSync(join(folder, "midfold.db"), "latin1")).not.toContain(secret);
  });

  it("makes no database where there is none to read, and copies none", async () => {
    expect(await run(["keys", "list", "--json"])).toMatchObject({ code: 0, out: "[]\n" });
    expect(await run(["keys", "revoke", "x"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^midfold: There is no database at .*midfold\.db\. /),
    });
    expect(await run(["backup", "copy.db"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^midfold: There is no database at .*midfold\.db\. /),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("copies the database and makes one from the copy", async () => {
    await run(["keys", "add", "kept"]);
    const copy = join(folder, "copy.db");
    expect((await run(["backup", copy])).code).toBe(0);
    const env = { MIDFOLD_DATABASE: `sqlite:${join(folder, "restored.db")}` };
    expect((await run(["restore", copy], "", { env })).code).toBe(0);
    expect((await run(["keys", "list"], "", { env })).out).toContain("kept");
  });
});

describe("midfold doctor", () => {
  it("finds a sound set-up sound", async () => {
    const { code, out } = await run(["doctor"]);
    expect(out).toMatch(/ok {4}configuration/);
    expect(out).toMatch(/ok {4}database/);
    expect(code).toBe(0);
    expect(JSON.parse((await run(["doctor", "--json"])).out)).toMatchObject({ ok: true });
  });

  it("changes nothing: neither makes a database nor touches one", async () => {
    expect((await run(["doctor"])).out).toMatch(/database +sqlite, none yet/);
    expect(readdirSync(folder)).toEqual([]);
    await run(["keys", "add", "first"]);
    const before = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "latin1")]);
    expect((await run(["doctor"])).out).toMatch(/database +sqlite, version \d+, sound/);
    expect(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "latin1")])).toEqual(before);
  });

  it("names what is wrong, and exits with 1", async () => {
    writeFileSync(
      join(folder, "midfold.yaml"),
      "upstreams:\n  down:\n    baseUrl: http://127.0.0.1:1/v1\nroutes:\n  - {model: x, upstream: down}\n",
    );
    const down = await run(["doctor"]);
    expect(down).toMatchObject({ code: 1, out: expect.stringMatching(/FAIL {2}upstream down/) });
    writeFileSync(join(folder, "midfold.yaml"), "server:\n  prot: 1\n");
    expect(await run(["doctor"])).toMatchObject({ code: 1, out: expect.stringMatching(/FAIL {2}configuration.*prot/) });
  });
});

/** A gateway with the demo model, started by the command itself. */
async function serving<T>(use: (url: string, banner: string) => Promise<T>): Promise<T> {
  let stop = () => {};
  let out = "";
  const done = run(["serve", "--port", "0", "--database", "none", "--log-level", "error"], "", {
    onSignal: (handler) => {
      stop = () => handler("SIGTERM");
    },
    write: (text) => {
      out += text;
    },
  });
  await expect.poll(() => out, { timeout: 10_000 }).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
  try {
    return await use(/http:\/\/127\.0\.0\.1:\d+/.exec(out)?.[0] ?? "", out);
  } finally {
    stop();
    expect((await done).code).toBe(0);
  }
}

describe("midfold serve", () => {
  it("prints its address and the lines to paste, answers, and stops on a signal", async () => {
    const url = await serving(async (url, banner) => {
      for (const line of ["ANTHROPIC_BASE_URL=", "codex", "opencode", "new OpenAI(", "new Anthropic("])
        expect(banner).toContain(line);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      return url;
    });
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });
});

describe("the lines midfold serve prints", () => {
  const printed = () => serving(async (_, banner) => banner);

  it("are about the demo model where only that answers without a key", async () => {
    const banner = await printed();
    expect(banner).toContain("midfold-demo needs none");
    expect(banner).toContain('"model":"midfold-demo"');
    expect(banner).toContain("ANTHROPIC_AUTH_TOKEN=any");
  });

  it("are not where every name goes to a provider with the caller's own key", async () => {
    const upstream = { provider: "anthropic", credentials: "passthrough" };
    const config = { upstreams: { own: upstream }, routes: [{ model: "*", upstream: "own" }] };
    writeFileSync(join(folder, "midfold.yaml"), JSON.stringify(config));
    const banner = await printed();
    expect(banner).not.toContain("demo");
    expect(banner).toContain("* → own   (callers' own keys are passed on)");
    expect(banner).toContain("with your own key at the provider");
    expect(banner).toMatch(/curl .*-H 'authorization: Bearer <your key at the provider>'.*"model":"claude-/);
  });
});

describe("midfold learned", () => {
  it("lists what a running gateway found out, and says when there is nothing to forget", () =>
    serving(async (url) => {
      expect((await run(["learned", "--url", url])).out).toContain("nothing learned");
      expect(JSON.parse((await run(["learned", "--url", url, "--json"])).out)).toEqual({ limits: [] });
      expect(await run(["learned", "gpt-4o", "--forget", "--url", url])).toMatchObject({
        code: 1,
        err: expect.stringContaining("Nothing like that was learned"),
      });
    }));
});

describe("midfold statusline", () => {
  it("shows the meter of the session that is piped in, and what folding saved it", () =>
    serving(async (url) => {
      const line = async (session: string) =>
        (await run(["statusline", "--url", url], JSON.stringify({ session_id: session }), { env: { NO_COLOR: "1" } }))
          .out;
      expect(await line("s1")).toBe("midfold: ready\n");
      const ask = (messages: unknown) =>
        fetch(`${url}/v1/messages`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-claude-code-session-id": "s1" },
          body: JSON.stringify({ model: "midfold-demo-8k", max_tokens: 100, messages }),
        }).then((response) => response.text());
      await ask([{ role: "user", content: "hello" }]);
      await expect.poll(() => line("s1")).toMatch(/^▱{10} 0% of 8k\n$/);
      await ask(long);
      await expect.poll(() => line("s1")).toMatch(/^▰+▱* \d+% of 8k · folded 1×, \d+k? tokens saved\n$/);
      expect(await line("s2")).toBe("midfold: ready\n");
    }));

  it("says in a line what is wrong, and never fails the bar it is in", async () => {
    expect(await run(["statusline", "--url", "http://127.0.0.1:9"])).toMatchObject({
      code: 0,
      out: "midfold: not running at http://127.0.0.1:9\n",
    });
    expect((await run(["statusline", "--url", "nonsense"])).out).toBe("midfold: nonsense is no address\n");
  });
});
