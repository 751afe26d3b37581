import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

// Runs the command as a process, since these tests are about pipes, signals, exit codes and child processes.
const main = fileURLToPath(new URL("main.ts", import.meta.url));
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "midfold-main-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

// A port where nothing listens, so that a Midfold in use on this machine is not found.
const env = () => ({ PATH: process.env.PATH ?? "", HOME: folder, MIDFOLD_PORT: "9" });

describe("a closed pipe", () => {
  it("ends the command quietly", () => {
    const chat = Array.from({ length: 3_000 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: `Word ${i}`,
    }));
    writeFileSync(join(folder, "chat.json"), JSON.stringify(chat));
    const command = `"${process.execPath}" "${main}" inspect chat.json --top 3000 | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", command], { cwd: folder, env: env(), encoding: "utf8" });
    expect(stdout).toMatch(/^openai-chat, 3000 messages.*\n0\n$/);
    // On a slow machine it prints progress.
    expect(stderr.replace(/^counting: .*\n/gm, "")).toBe("");
  });
});

/** A program that sends a request where its variables point, as an agent would, and prints the answer. */
const agent = `
const base = process.env.ANTHROPIC_BASE_URL;
const answer = await fetch(base + "/v1/messages", {
  method: "POST",
  headers: { "content-type": "application/json", authorization: "Bearer " + process.env.ANTHROPIC_AUTH_TOKEN },
  body: JSON.stringify({ model: process.env.ANTHROPIC_MODEL ?? "claude-sonnet-4-5", max_tokens: 200, messages: [{ role: "user", content: process.argv.slice(2).join(" ") }] }),
});
const { content } = await answer.json();
console.log(JSON.stringify({ base, text: content[0].text, search: process.env.ENABLE_TOOL_SEARCH, key: process.env.ANTHROPIC_API_KEY ?? null }));
process.exit(7);
`;

function installAgent(): void {
  writeFileSync(join(folder, "agent.mjs"), agent);
  writeFileSync(join(folder, "claude"), `#!/bin/sh\nexec "${process.execPath}" "${join(folder, "agent.mjs")}" "$@"\n`, {
    mode: 0o755,
  });
}

describe("midfold wrap", () => {
  it("starts a gateway for the agent, hands arguments and exit code on, and leaves nothing behind", async () => {
    installAgent();
    const before = readdirSync(folder);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [main, "wrap", "claude", "--", "-p", "hello there"],
      {
        cwd: folder,
        env: { ...env(), PATH: `${folder}:${process.env.PATH}`, ANTHROPIC_API_KEY: "" },
        encoding: "utf8",
      },
    );
    const { base, text, search, key } = JSON.parse(stdout);
    expect(status).toBe(7);
    expect(text).toContain("-p hello there");
    expect({ search, key }).toEqual({ search: "true", key: null });
    expect(stderr).toContain("demo model answers");
    expect(readdirSync(folder)).toEqual(before);
    await expect(fetch(`${base}/healthz`)).rejects.toThrow();
  });

  it("has agents that need a name ask for the model that MIDFOLD_MODEL names, not for the demo", () => {
    writeFileSync(join(folder, "opencode"), '#!/bin/sh\necho "$OPENCODE_CONFIG_CONTENT"\n', { mode: 0o755 });
    const { stdout, stderr } = spawnSync(process.execPath, [main, "wrap", "opencode"], {
      cwd: folder,
      env: {
        ...env(),
        PATH: `${folder}:${process.env.PATH}`,
        OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
        MIDFOLD_MODEL: "qwen3-coder",
      },
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout).model).toBe("midfold/qwen3-coder");
  });

  it("uses a gateway that runs, asks for the demo model where that has nothing else, and leaves it running", async () => {
    installAgent();
    const server = spawn(process.execPath, [main, "serve", "--port", "0", "--database", "none", "--json"], {
      cwd: folder,
      env: env(),
    });
    try {
      const [line] = await once(server.stdout, "data");
      const { url } = JSON.parse(String(line));
      const { stdout, stderr } = spawnSync(process.execPath, [main, "wrap", "--url", url, "claude", "hello"], {
        cwd: folder,
        env: { ...env(), PATH: `${folder}:${process.env.PATH}` },
        encoding: "utf8",
      });
      expect(JSON.parse(stdout)).toMatchObject({ base: url, text: expect.stringContaining("hello") });
      expect(stderr).toContain(`No provider is configured at ${url}, so the built-in demo model answers`);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    } finally {
      server.kill("SIGTERM");
      await once(server, "exit");
    }
  });
});

describe("an old Node", () => {
  it("gets a sentence", () => {
    const start = fileURLToPath(new URL("../bin/midfold.cjs", import.meta.url));
    const pretend = `Object.defineProperty(process.versions, "node", { value: "18.20.0" }); require(${JSON.stringify(start)});`;
    const run = () => execFileSync(process.execPath, ["-e", pretend], { encoding: "utf8", stdio: "pipe" });
    expect(run).toThrow(/This is Node 18\.20\.0; midfold needs 22\.18 or newer/);
  });
});

describe("starting", () => {
  it("loads neither engine nor server for --version and statusline", () => {
    const loaded = (...args: readonly string[]) => {
      const { stderr } = spawnSync(process.execPath, [main, ...args], {
        cwd: folder,
        env: { ...env(), NODE_DEBUG: "esm" },
        encoding: "utf8",
        input: "{}",
      });
      return stderr;
    };
    for (const args of [["--version"], ["statusline", "--url", "http://127.0.0.1:9"]]) {
      const log = loaded(...args);
      expect(log).toContain("run-cli.ts");
      expect(log).not.toMatch(/packages\/(?:core|server|store|wire)\/src/);
    }
  });
});
