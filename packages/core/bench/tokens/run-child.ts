import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Runs one task in a fresh process; undefined when it took longer than allowed. */
export function runChild<Value>(args: readonly string[], timeoutMs: number, script = "child.ts"): Value | undefined {
  const child = spawnSync(process.execPath, ["--expose-gc", join(import.meta.dirname, script), ...args], {
    encoding: "utf8",
    timeout: timeoutMs,
  });
  const line = child.stdout.split("\n").find((candidate) => candidate.startsWith("CHILD "));
  if (line !== undefined) return JSON.parse(line.slice(6)) as Value;
  if (child.error !== undefined || child.signal !== null) return undefined;
  throw new Error(`${args.join(" ")}: ${child.stderr}`);
}
