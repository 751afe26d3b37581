// `npm run e2e:install`: the packages as npm would publish them, in an empty folder with nothing but Node and npm: what they
// weigh, how long the command takes to start, each adapter's example against the demo model with and without the line that
// Midfold adds, the library on other runtimes, and `midfold wrap` with the real Claude Code. Needs npm's registry.
import { execFile, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { packAdapters } from "../../scripts/pack-adapters.ts";
import { packMidfold } from "../../scripts/pack-midfold.ts";
import { expected, runElsewhere } from "./run-elsewhere.ts";
import { adapterExamples, type DemoModel, type Example, startDemoModel, writeExample } from "./run-examples.ts";

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
  check("midfold: MB on disk, below 60", megabytes < 60, megabytes.toFixed(1));
  const midfold = join(command, "node_modules/midfold/bin/midfold.cjs");
  for (const args of [["--version"], ["statusline", "--url", "http://127.0.0.1:9"]]) {
    const times = Array.from({ length: 7 }, () => processorMs([midfold, ...args])).sort((a, b) => a - b);
    check(`midfold ${args[0]}: ms of processor time, below 80`, (times[3] ?? 999) < 80, times[3]?.toFixed(0));
  }
  const adapters = packAdapters();
  const wanted = [...new Set(adapterExamples.flatMap(({ packages }) => packages))];
  const library = install("library", join(adapters, "../../../core/dist/package"), adapters, ...wanted.map(pinned));
  const runtimes = installRuntimes();
  const demo = await startDemoModel(midfold, command, { PATH: dirname(process.execPath), HOME: command });
  try {
    const node20 = join(runtimes, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
    for (const node of [process.execPath, node20])
      for (const example of adapterExamples) await tryExample(example, library, demo, node);
  } finally {
    await demo.stop();
  }
  for (const { name, seen } of await runElsewhere(library, runtimes)) {
    if (seen === undefined) say(`skip  the library on ${name}: it cannot be installed here.`);
    else check(`the library on ${name}`, seen === expected, seen);
  }
  const claude = installClaude();
  if (claude === undefined) say("not measured  midfold wrap claude: Claude Code cannot be installed here.");
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

/** Packs what is prepared in folders and installs it, beside packages by name, into an empty project. */
function install(name: string, ...wanted: readonly string[]): string {
  const target = join(folder, name);
  mkdirSync(target);
  writeFileSync(join(target, "package.json"), '{"private":true,"type":"module"}');
  const archives = wanted.map((item) => {
    if (!existsSync(item)) return item;
    const archive = npm(["pack", "--silent", "--pack-destination", target], item).trim().split("\n").at(-1) ?? "";
    return join(target, archive);
  });
  npm(["install", "--no-audit", "--no-fund", "--ignore-scripts", ...archives], target);
  return target;
}

/** A package of others at the version this repository is tested with. */
function pinned(name: string): string {
  const { devDependencies } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return `${name}@${devDependencies[name]}`;
}

/** Whatever of these can be installed: each alone, since one that is missing must not hide the others. */
function installRuntimes(): string {
  const target = install("runtimes");
  const names = [`node-${process.platform}-${process.arch}@20`, "bun", "deno", "miniflare", "esbuild"];
  for (const name of names) {
    try {
      npm(["install", "--no-audit", "--no-fund", "--ignore-scripts", name], target);
    } catch {
      say(`skip  ${name} cannot be installed here.`);
    }
  }
  return target;
}

/** Runs one example as it was before Midfold and with it: both answer, and with it the request is smaller. */
async function tryExample(example: Example, library: string, demo: DemoModel, node: string): Promise<void> {
  if (!existsSync(node)) return;
  const major = Number(spawnSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout.split(".")[0]);
  const what = `examples/${example.file} on Node ${major}`;
  const tooNew = example.packages.find((name) => neededNode(join(library, "node_modules", name)) > major);
  if (tooNew !== undefined) {
    say(`skip  ${what}: ${tooNew} itself does not run there.`);
    return;
  }
  const { withIt, without } = writeExample(example, library);
  const url = example.file.startsWith("anthropic") ? demo.url : `${demo.url}/v1`;
  const ask = async (file: string) => {
    // Not spawnSync: the listener before the demo model is in this process.
    const { stdout } = await promisify(execFile)(node, [file], {
      cwd: library,
      env: { BASE_URL: url, PATH: dirname(node), HOME: library },
    }).catch((error: { stdout: string; stderr: string }) => ({
      stdout: `${error.stdout}${error.stderr}`.slice(0, 300),
    }));
    return { answered: /^answered: \S/m.test(stdout), size: demo.largestRequest(), stdout };
  };
  const [plain, folded] = [await ask(without), await ask(withIt)];
  const kb = (size: number) => `${(size / 1000).toFixed(0)} kB`;
  const ok = folded.answered && folded.size > 0 && folded.size < plain.size * 0.7;
  check(what, ok, folded.answered ? `${kb(plain.size)} → ${kb(folded.size)} sent` : folded.stdout);
}

/** The oldest Node that a package says it runs on. */
function neededNode(path: string): number {
  const { engines } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  return Number(/(\d+)/.exec(engines?.node ?? "0")?.[1] ?? 0);
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
    const file = join(entry.parentPath, entry.name);
    // What it takes on the disk, as `du` says: thousands of small files take a quarter more than they hold.
    bytes += lstatSync(file).blocks * 512;
    if (!entry.isFile()) continue;
    if (/node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(file) && !file.includes("node_modules/@midfold/"))
      packages++;
  }
  return { packages, megabytes: bytes / 1e6 };
}
