/**
 * Takes behaviours away, one at a time, and looks whether the test that proves the requirement notices: `npm run prove`,
 * or `npm run prove -- "R4 example"` for some rows. Nothing on disk changes: the change is made while the file is loaded.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RequirementMutation, requirementMutations } from "./requirement-mutations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const asked = process.argv.slice(2);
const chosen = requirementMutations.filter(({ row }) => asked.length === 0 || asked.includes(row));

/** Whether the named test fails with the change made. Throws when no test was run at all. */
function notices({ file, find, replace, test, title }: RequirementMutation): Promise<boolean> {
  const env = { ...process.env, MIDFOLD_MUTATION: JSON.stringify({ file, find, replace }) };
  const name = title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.prove.config.ts", test, "-t", name];
  const folder = mkdtempSync(join(tmpdir(), "midfold-prove-"));
  const outcome = join(folder, "outcome.json");
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args, "--reporter=json", `--outputFile=${outcome}`], {
      cwd: root,
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    child.on("close", () => {
      const report = JSON.parse(readFileSync(outcome, "utf8")) as { numPassedTests: number; numFailedTests: number };
      rmSync(folder, { recursive: true });
      if (report.numPassedTests + report.numFailedTests === 0) reject(new Error(`no test "${title}" in ${test}`));
      resolve(report.numFailedTests > 0);
    });
  });
}

const unnoticed: string[] = [];
console.log("| requirement | taken away | noticed |\n| --- | --- | --- |");
for (const mutation of chosen) {
  const noticed = await notices(mutation);
  if (!noticed) unnoticed.push(mutation.row);
  console.log(`| ${mutation.row} | \`${mutation.find.slice(0, 60)}\` | ${noticed ? "yes" : "NO"} |`);
}
console.log(`\nRESULT ${JSON.stringify({ mutations: chosen.length, unnoticed })}`);
process.exit(chosen.length > 0 && unnoticed.length === 0 ? 0 : 1);
