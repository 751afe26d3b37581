/** Everything that is checked without running the program, all at once: `npm run check`. Prints what failed, and fails. */
import { execFile } from "node:child_process";

const checks = ["typecheck:all", "typecheck:core", "typecheck:web", "lint", "boundaries", "unused"];

function run(script: string): Promise<boolean> {
  return new Promise((resolve) => {
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const options = { maxBuffer: 64 * 1024 * 1024, shell: process.platform === "win32" };
    execFile(npm, ["run", "--silent", script], options, (error, stdout, stderr) => {
      if (error !== null) process.stderr.write(`\n${script} failed:\n${stdout}${stderr}\n`);
      resolve(error === null);
    });
  });
}

const passed = await Promise.all(checks.map(run));
process.exit(passed.every(Boolean) ? 0 : 1);
