import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Installs the peers a bench compares with into their own folder, once, and loads modules from there. */
export async function installPeers(folder: string) {
  const root = join(import.meta.dirname, folder);
  if (!existsSync(join(root, "node_modules"))) {
    console.error(`bench: installing the peers of ${folder} …`);
    const args = [
      "install",
      "--no-audit",
      "--no-fund",
      "--no-package-lock",
      "--workspaces=false",
      "--loglevel=error",
      "--prefix",
      root,
    ];
    const { status } = spawnSync("npm", args, { cwd: root, stdio: "inherit" });
    if (status !== 0) throw new Error(`Could not install the peers in ${folder}; run npm install there to see why.`);
  }
  const require = createRequire(join(root, "package.json"));
  return {
    // biome-ignore lint/suspicious/noExplicitAny: peers are loaded by name, without their types
    load: (name: string): Promise<any> => import(pathToFileURL(require.resolve(name)).href),
  };
}
