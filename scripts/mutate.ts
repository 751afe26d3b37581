/**
 * Mutation testing of core: `npm run mutate`, or `npm run mutate -- budget compact/compact.ts` for some of it. Stryker
 * changes one operator, literal or call at a time; a change that no test notices has survived. What did not change since
 * the last run is not tried again. Prints a table, lists the survivors in `reports/mutation/survivors.txt`, and fails
 * below the aim.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Stryker } from "@stryker-mutator/core";

const root = fileURLToPath(new URL("..", import.meta.url));
const reports = join(root, "reports/mutation");
/** The folders of core that decide what is sent. */
const deciding = [
  "atoms",
  "budget",
  "compact",
  "context-manager",
  "context-strategy",
  "fold",
  "plan",
  "presets",
  "strategies",
  "summary",
];
const aim = 85;

const asked = process.argv.slice(2);
const scope = asked.length === 0 ? deciding : asked;
mkdirSync(reports, { recursive: true });
process.chdir(root);

const results = await new Stryker({
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "vitest.mutate.config.ts" },
  mutate: [
    ...scope.map((part) => `packages/core/src/${part.endsWith(".ts") ? part : `${part}/**/*.ts`}`),
    "!**/*.test.ts",
    "!**/*.test-data.ts",
  ],
  ignorePatterns: [
    ...["bench", "docs", "deploy", "examples", "reports", "tests"],
    ...["cli", "server", "store", "web", "wire"].map((name) => `packages/${name}`),
  ],
  // Changes to what runs once when a module loads would need every test each: they cost more than all others together.
  ignoreStatic: true,
  incremental: true,
  incrementalFile: join(reports, "incremental.json"),
  concurrency: Math.max(1, Math.min(2, availableParallelism() - 1)),
  timeoutMS: 10_000,
  reporters: ["progress-append-only", "json"],
  jsonReporter: { fileName: join(reports, "mutation.json") },
  // Stryker would rewrite it with functions that TypeScript 7 no longer has; vitest needs none.
  tsconfigFile: "none.json",
  tempDirName: "tmp/stryker",
  thresholds: { high: 90, low: aim, break: null },
  allowConsoleColors: false,
}).runMutationTest();

interface Counts {
  killed: number;
  survived: number;
}
const byFolder = new Map<string, Counts>();
const survivors: string[] = [];
const sources = new Map<string, string[]>();
for (const { fileName, status, location, mutatorName, replacement } of results) {
  if (!["Killed", "Timeout", "Survived", "NoCoverage"].includes(status)) continue;
  const path = fileName.replaceAll("\\", "/").split("packages/core/src/")[1] ?? fileName;
  const folder = path.split("/")[0] as string;
  const counts = byFolder.get(folder) ?? { killed: 0, survived: 0 };
  byFolder.set(folder, counts);
  if (status === "Killed" || status === "Timeout") {
    counts.killed++;
    continue;
  }
  counts.survived++;
  if (!sources.has(path)) {
    sources.set(path, readFileSync(join(root, "packages/core/src", path), "utf8").split("\n"));
  }
  const line = sources.get(path)?.[location.start.line - 1]?.trim() ?? "";
  const what = (replacement ?? "").replaceAll(/\s+/g, " ").slice(0, 80);
  survivors.push(
    `${path}:${location.start.line}:${location.start.column + 1} ${status} ${mutatorName} → ${what}\n    ${line}`,
  );
}
writeFileSync(join(reports, "survivors.txt"), `${survivors.join("\n")}\n`);

const share = ({ killed, survived }: Counts) => (100 * killed) / Math.max(1, killed + survived);
const total: Counts = { killed: 0, survived: 0 };
const rows = [...byFolder].sort(([a], [b]) => a.localeCompare(b));
console.log("\n| folder | mutants | killed | share |\n| --- | ---: | ---: | ---: |");
for (const [folder, counts] of rows) {
  total.killed += counts.killed;
  total.survived += counts.survived;
  console.log(`| ${folder} | ${counts.killed + counts.survived} | ${counts.killed} | ${share(counts).toFixed(1)} % |`);
}
const mutants = total.killed + total.survived;
console.log(`| all | ${mutants} | ${total.killed} | ${share(total).toFixed(1)} % |\n`);
const holds = mutants > 0 && share(total) >= aim;
console.log(
  `RESULT ${JSON.stringify({ mutants, killed: total.killed, share: Number(share(total).toFixed(1)), aim, holds })}`,
);
process.exit(holds ? 0 : 1);
