// `npm run pack:adapters`: @midfold/adapters as it is published, compiled against the published types of @midfold/core.
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { packCore, packLibrary, runOrThrow } from "./pack-core.ts";

/** Writes the package into a folder of its own and gives the folder. */
export function packAdapters(): string {
  packCore();
  return packLibrary("adapters");
}

if (import.meta.main) {
  const target = packAdapters();
  runOrThrow("npm", ["pack", "--pack-destination", dirname(target)], target);
  console.log(`${dirname(target)}: ${readdirSync(dirname(target)).filter((name) => name.endsWith(".tgz"))}`);
}
