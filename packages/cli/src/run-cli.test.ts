import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
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
    expect(err).toMatch(/^folded: \d+ → \d+ tokens \(budget 3000/);
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
    expect(await run(["fodl"])).toMatchObject({ code: 2, err: expect.stringContaining('There is no command "fodl"') });
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
      stop = handler;
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

describe("midfold statusline", () => {
  it("shows the meter of the session that is piped in, and what folding spared it", () =>
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
      await expect.poll(() => line("s1")).toMatch(/^▰+▱* \d+% of 8k · folded 1×, \d+k? tokens spared\n$/);
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
