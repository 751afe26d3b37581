/**
 * Mutation testing: `npm run mutate`, or `npm run mutate -- budget compact/compact.ts wire/src/overflow` for some of it.
 * Stryker's instrumenter changes one operator, literal or call at a time; a change that no test notices has survived.
 * Changes that were noticed are not tried again while their file and the test that noticed are the same. Prints a table,
 * lists the survivors in `reports/mutation/survivors.txt`, and fails below the aim.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type JournalLine, killedIn } from "./mutate/journal.ts";
import { instrument, type Mutant } from "./mutate/mutants.ts";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const reports = join(root, "reports/mutation");
const aim = 85;
/** The folders that decide what is sent. */
const deciding = [
  ...["atoms", "budget", "compact", "context-manager", "context-strategy"],
  ...["fold", "plan", "presets", "strategies", "summary"],
].map((folder) => `core/src/${folder}`);

const asked = process.argv.slice(2).map((part) => (part.includes("/src/") ? part : `core/src/${part}`));
const scope = asked.length === 0 ? deciding : asked;
mkdirSync(reports, { recursive: true });
const { mutants } = await instrument(root, scope);
if (mutants.length === 0) {
  console.error(`nothing to change in ${scope.join(", ")}`);
  process.exit(1);
}

/** What was noticed before: the change and its file's text, with the test file that noticed and its text. */
type Remembered = Record<string, { file: string; hash: string }>;
const memory = join(reports, "noticed.json");
const recall = (): Remembered => (existsSync(memory) ? JSON.parse(readFileSync(memory, "utf8")) : {});
const hashes = new Map<string, string>();
function hashOf(path: string): string {
  const full = join(root, path);
  const computed = hashes.get(path);
  if (computed !== undefined) return computed;
  const hash = existsSync(full) ? createHash("sha256").update(readFileSync(full)).digest("hex").slice(0, 16) : "gone";
  hashes.set(path, hash);
  return hash;
}
const keyOf = ({ path, line, column, kind, replacement }: Mutant) =>
  createHash("sha256")
    .update(JSON.stringify([path, hashOf(path), line, column, kind, replacement]))
    .digest("hex")
    .slice(0, 24);

const journal = join(reports, `journal-${process.pid}.jsonl`);
const known = recall();
const before = mutants.filter((mutant) => {
  const noticed = known[keyOf(mutant)];
  return noticed !== undefined && noticed.hash === hashOf(noticed.file);
});
writeFileSync(journal, before.map(({ id }) => `${JSON.stringify({ killed: id })}\n`).join(""));

const lines = (): JournalLine[] =>
  readFileSync(journal, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as JournalLine);

const packages = [...new Set(scope.map((part) => part.split("/")[0] as string))];
const tests = process.env.MIDFOLD_MUTATE_TESTS ?? packages.map((name) => `${name}/src`).join(",");

/** One vitest, until it ends or until one change has not ended for a minute; that one is then noted as noticed. */
function runOnce(): Promise<boolean> {
  return new Promise((resolve) => {
    const env = {
      ...process.env,
      MIDFOLD_MUTATE_SCOPE: scope.join(","),
      MIDFOLD_MUTATE_TESTS: tests,
      MIDFOLD_MUTATE_JOURNAL: journal,
    };
    const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.mutate.config.ts", "--reporter=dot"];
    // A group of its own: vitest's worker is in an endless loop when a change never ends, and outlives vitest.
    const child = spawn(process.execPath, args, {
      cwd: root,
      env,
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    const stop = () => process.kill(-(child.pid as number), "SIGKILL");
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors = (errors + chunk).slice(-5000);
    });
    const end = () => {
      stop();
      process.exit(1);
    };
    process.once("SIGTERM", end);
    process.once("SIGINT", end);
    const begun = Date.now();
    let stuck = false;
    const watch = setInterval(() => {
      if (Date.now() - Math.max(begun, statSync(journal).mtimeMs) < 60_000) return;
      const last = lines().at(-1);
      stuck = true;
      if (last?.trying !== undefined) {
        const mutant = mutants.find(({ id }) => id === last.trying);
        console.log(`never ends: ${mutant?.path}:${mutant?.line}:${mutant?.column} ${mutant?.kind}`);
        writeFileSync(journal, `${JSON.stringify({ killed: last.trying })}\n`, { flag: "a" });
      }
      stop();
    }, 5000);
    child.on("close", (code) => {
      clearInterval(watch);
      process.off("SIGTERM", end);
      process.off("SIGINT", end);
      if (code !== 0 && !stuck) console.error(errors);
      resolve(!stuck);
    });
  });
}
while (!(await runOnce()));

const found = lines();
const covered = new Set(found.flatMap((line) => line.covered ?? []));
const killed = killedIn(found);
/** Reached only while a module loads: not tried. */
const atLoad = new Set(found.flatMap((line) => line.atLoad ?? []));
const spoiled = new Set(found.flatMap((line) => line.spoiled ?? []));
if (covered.size + before.length === 0) {
  console.error("no test ran");
  process.exit(1);
}
const remembered = recall();
const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]));
for (const { killed: id, file } of found) {
  const mutant = id === undefined ? undefined : byId.get(id);
  if (mutant === undefined || file === undefined || !killed.has(mutant.id)) continue;
  const path = relative(root, file);
  remembered[keyOf(mutant)] = { file: path, hash: hashOf(path) };
}
writeFileSync(memory, JSON.stringify(remembered));

interface Counts {
  killed: number;
  survived: number;
}
const name =
  asked.length === 0
    ? ""
    : `-${asked
        .join("-")
        .replaceAll("core/src/", "")
        .replaceAll(/[^\w-]+/g, "-")
        .slice(0, 100)}`;
const byFolder = new Map<string, Counts>();
const survivors: string[] = [];
for (const mutant of mutants) {
  const folder = mutant.path.split("/").slice(1, 4).join("/").replace("core/src/", "");
  const counts = byFolder.get(folder) ?? { killed: 0, survived: 0 };
  byFolder.set(folder, counts);
  if (killed.has(mutant.id)) {
    counts.killed++;
    continue;
  }
  if (!covered.has(mutant.id) && atLoad.has(mutant.id)) continue;
  counts.survived++;
  const line = readFileSync(join(root, mutant.path), "utf8").split("\n")[mutant.line - 1]?.trim() ?? "";
  const what = mutant.replacement.replaceAll(/\s+/g, " ").slice(0, 80);
  const how = spoiled.has(mutant.id) ? "spoiled" : covered.has(mutant.id) ? "survived" : "not reached";
  survivors.push(`${mutant.path}:${mutant.line}:${mutant.column} ${how} ${mutant.kind} → ${what}\n    ${line}`);
}
writeFileSync(join(reports, `survivors${name}.txt`), `${survivors.join("\n")}\n`);

const share = ({ killed, survived }: Counts) => (100 * killed) / Math.max(1, killed + survived);
const total: Counts = { killed: 0, survived: 0 };
const rows = [...byFolder].sort(([a], [b]) => a.localeCompare(b));
console.log("\n| folder | mutants | killed | share |\n| --- | ---: | ---: | ---: |");
for (const [folder, counts] of rows) {
  total.killed += counts.killed;
  total.survived += counts.survived;
  console.log(`| ${folder} | ${counts.killed + counts.survived} | ${counts.killed} | ${share(counts).toFixed(1)} % |`);
}
const all = total.killed + total.survived;
console.log(`| all | ${all} | ${total.killed} | ${share(total).toFixed(1)} % |\n`);
const holds = all > 0 && share(total) >= aim;
console.log(
  `RESULT ${JSON.stringify({ mutants: all, killed: total.killed, share: Number(share(total).toFixed(1)), aim, holds })}`,
);
process.exit(holds ? 0 : 1);
