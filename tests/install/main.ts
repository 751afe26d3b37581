// `npm run e2e:install`: the packages as npm would publish them, in an empty folder with nothing but Node and npm: what
// they weigh, how long the command takes to start, and `midfold wrap` with the real Claude Code. Needs npm's registry.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packCore } from "../../scripts/pack-core.ts";
import { packMidfold } from "../../scripts/pack-midfold.ts";

const say = (text: string) => process.stdout.write(`${text}\n`);
const folder = mkdtempSync(join(tmpdir(), "midfold-install-"));
const rows: { readonly what: string; readonly ok: boolean; readonly seen: string }[] = [];
const check = (what: string, ok: boolean, seen: unknown) => {
  rows.push({ what, ok, seen: String(seen) });
  say(`${ok ? "ok  " : "FAIL"}  ${what.padEnd(52)} ${seen}`);
};
/** Nothing of the caller but npm's settings: no keys, no configuration. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(npm_config_|NPM_|NODE_EXTRA|SSL_|HTTPS?_PROXY|NO_PROXY|LANG)/i.test(name),
  ),
);

try {
  const command = install("command", packMidfold());
  const { packages, megabytes } = weigh(join(command, "node_modules"));
  check("midfold: packages, below 80", packages < 80, packages);
  check("midfold: MB, below 60", megabytes < 60, megabytes.toFixed(1));
  const midfold = join(command, "node_modules/midfold/bin/midfold.cjs");
  for (const args of [["--version"], ["statusline", "--url", "http://127.0.0.1:9"]]) {
    const times = Array.from({ length: 7 }, () => processorMs([midfold, ...args])).sort((a, b) => a - b);
    check(`midfold ${args[0]}: ms of processor time, below 80`, (times[3] ?? 999) < 80, times[3]?.toFixed(0));
  }
  const library = install("library", packCore());
  writeFileSync(
    join(library, "try.mjs"),
    'import { fold } from "@midfold/core";\nconst m = Array.from({ length: 80 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: "word ".repeat(200) }));\nconsole.log((await fold(m, { model: "gpt-4o", window: 8000 })).outcome);\n',
  );
  check("@midfold/core folds", run(["try.mjs"], library).stdout === "folded\n", "import { fold }");
  const claude = installClaude();
  if (claude === undefined) say("skip  Claude Code cannot be installed here.");
  else {
    const home = mkdtempSync(join(folder, "home-"));
    const { status, stdout, stderr } = run([midfold, "wrap", "claude", "--", "-p", "hello"], home, {
      PATH: `${claude}:${process.env.PATH}`,
      HOME: home,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    });
    check(
      "midfold wrap claude -- -p hello",
      status === 0 && stdout.includes("hello"),
      stdout.trim().split("\n")[0] || stderr,
    );
    const left = readdirSync(home).filter(
      (name) => !name.startsWith(".claude") && name !== ".cache" && name !== ".local",
    );
    check("… leaves nothing behind", left.length === 0, left.join(", ") || "nothing");
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const failures = rows.filter(({ ok }) => !ok);
say(`RESULT ${JSON.stringify({ ok: failures.length === 0, rows })}`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Packs a prepared folder and installs the archive into an empty project. */
function install(name: string, prepared: string): string {
  const target = join(folder, name);
  mkdirSync(target);
  writeFileSync(join(target, "package.json"), '{"private":true,"type":"module"}');
  const archive = npm(["pack", "--silent", "--pack-destination", target], prepared).trim().split("\n").at(-1) ?? "";
  npm(["install", "--no-audit", "--no-fund", "--ignore-scripts", join(target, archive)], target);
  return target;
}

function installClaude(): string | undefined {
  const target = join(folder, "claude");
  mkdirSync(target);
  writeFileSync(join(target, "package.json"), '{"private":true}');
  try {
    npm(["install", "--no-audit", "--no-fund", "--ignore-scripts", "@anthropic-ai/claude-code@latest"], target);
  } catch {
    return undefined;
  }
  return join(target, "node_modules/@anthropic-ai", `claude-code-${process.platform}-${process.arch}`);
}

function npm(args: readonly string[], cwd: string): string {
  // The npm of this checkout's own run would think it is still in the workspace.
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd,
    encoding: "utf8",
    env: { ...env, PATH: process.env.PATH, HOME: process.env.HOME },
  });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout;
}

function run(args: readonly string[], cwd: string, more: Record<string, string> = {}) {
  return spawnSync(process.execPath, args, {
    cwd,
    encoding: "utf8",
    timeout: 120_000,
    env: { PATH: dirname(process.execPath), LANG: "C.UTF-8", ...more },
  });
}

/** User and system time of one run, as the kernel counts it. */
function processorMs(args: readonly string[]): number {
  const words = [process.execPath, ...args].map((word) => `'${word}'`).join(" ");
  const script = `TIMEFORMAT='%U %S'; time ${words} < /dev/null > /dev/null 2>&1`;
  const { stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  const [user = 0, system = 0] = stderr.trim().split(" ").map(Number);
  return (user + system) * 1_000;
}

function weigh(path: string): { packages: number; megabytes: number } {
  let packages = 0;
  let bytes = 0;
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    bytes += statSync(file).size;
    if (/node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(file) && !file.includes("node_modules/@midfold/"))
      packages++;
  }
  return { packages, megabytes: bytes / 1e6 };
}
