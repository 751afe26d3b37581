/**
 * Takes behaviours away, one at a time, and looks whether the test that proves the requirement notices: `npm run prove`,
 * or `npm run prove -- "R4 example"` for some rows. Nothing on disk changes: the change is made while the file is loaded.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RequirementMutation } from "./requirement-mutation.ts";
import { requirementMutations } from "./requirement-mutations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const asked = process.argv.slice(2);
const chosen = requirementMutations.filter(({ row }) => asked.length === 0 || asked.includes(row));

type Verdict = "yes" | "NO" | "no such test";

/** Whether the named test fails with the change made. */
function notices({ file, find, replace, test, title }: RequirementMutation): Promise<Verdict> {
  const env = { ...process.env, MIDFOLD_MUTATION: JSON.stringify({ file, find, replace }) };
  // A title of many tests has places for their values.
  const name = title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/%[sidj]|\\\$\w+/g, ".*");
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.prove.config.ts", test, "-t", name];
  const folder = mkdtempSync(join(tmpdir(), "midfold-prove-"));
  const outcome = join(folder, "outcome.json");
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...args, "--reporter=json", `--outputFile=${outcome}`], {
      cwd: root,
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    child.on("close", () => {
      const report = JSON.parse(readFileSync(outcome, "utf8")) as { numPassedTests: number; numFailedTests: number };
      rmSync(folder, { recursive: true });
      if (report.numPassedTests + report.numFailedTests === 0) resolve("no such test");
      resolve(report.numFailedTests > 0 ? "yes" : "NO");
    });
  });
}

const unnoticed: string[] = [];
console.log("| requirement | taken away | noticed |\n| --- | --- | --- |");
const queue = [...chosen];
async function work(): Promise<void> {
  for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
    const verdict = await notices(mutation);
    if (verdict !== "yes") unnoticed.push(mutation.row);
    console.log(`| ${mutation.row} | \`${mutation.find.slice(0, 60)}\` | ${verdict} |`);
  }
}
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
console.log(`\nRESULT ${JSON.stringify({ mutations: chosen.length, unnoticed })}`);
process.exit(chosen.length > 0 && unnoticed.length === 0 ? 0 : 1);
