import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "./agent.ts";
import { runProcess } from "./run-process.ts";

/** Installs the newest version of each client into the folder, without running anything of theirs, and says which. */
export async function installAgents(folder: string, agents: readonly Agent[]): Promise<ReadonlyMap<string, string>> {
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, '{"private":true}');
  const wanted = new Set(agents.flatMap(({ packageName, alsoInstall = [] }) => [packageName, ...alsoInstall]));
  const missing = [...wanted].filter((name) => installedVersion(folder, name) === undefined);
  if (missing.length > 0) {
    const packages = missing.map((name) => `${name}@latest`);
    const args = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", ...packages];
    const { exitCode, output } = await runProcess({ command: "npm", args, env: callersEnvironment() }, folder, 600_000);
    if (exitCode !== 0) throw new Error(`npm could not install the clients:\n${output}`);
  }
  return new Map(agents.map((agent) => [agent.name, installedVersion(folder, agent.packageName) ?? "?"]));
}

function installedVersion(folder: string, packageName: string): string | undefined {
  const path = join(folder, "node_modules", packageName, "package.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).version : undefined;
}

/** npm needs the caller's certificates and proxies, but not what an outer `npm run` says about its own project. */
function callersEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD)/.test(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? ""]));
}
