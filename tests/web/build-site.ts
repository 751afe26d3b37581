import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const web = fileURLToPath(new URL("../../packages/web", import.meta.url));
const cache = fileURLToPath(new URL("../../node_modules/.cache/midfold-web", import.meta.url));

/** The web app as it is now, built once for all test files: a folder named after a hash of its sources. */
export async function buildSite(): Promise<string> {
  const folder = join(cache, hashSources());
  const lock = `${folder}.lock`;
  mkdirSync(cache, { recursive: true });
  while (!existsSync(folder)) {
    if (!take(lock)) {
      await sleep(250);
      continue;
    }
    try {
      const unfinished = `${folder}.${process.pid}`;
      // As it is shipped: under the tests' own NODE_ENV React would be built with all its checks, and half as large again.
      const env = { ...process.env, NODE_ENV: "production" };
      await promisify(execFile)("npx", ["vite", "build", "--outDir", unfinished, "--emptyOutDir"], { cwd: web, env });
      renameSync(unfinished, folder);
    } finally {
      rmdirSync(lock);
    }
  }
  return folder;
}

function take(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    // Left behind by a run that was killed.
    const age = existsSync(lock) ? Date.now() - statSync(lock).mtimeMs : 0;
    if (age > 120_000) rmdirSync(lock);
    return false;
  }
}

function hashSources(): string {
  const hash = createHash("sha256");
  const add = (path: string) => hash.update(path).update(readFileSync(join(web, path)));
  for (const path of ["index.html", "diagram.html", "package.json", "vite.config.ts"]) add(path);
  for (const folder of ["src", "public"]) {
    for (const path of readdirSync(join(web, folder), { recursive: true, encoding: "utf8" }).sort()) {
      if (statSync(join(web, folder, path)).isFile()) add(join(folder, path));
    }
  }
  return hash.digest("hex").slice(0, 16);
}
