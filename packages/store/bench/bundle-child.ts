import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * A child that is killed a thousand times must start fast: as one file it does so in a tenth of the time of some hundred
 * modules. Returns the file to run; the source itself where there is no bundler.
 */
export async function bundleChild(name: string, folder: string): Promise<string> {
  const source = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const worker = fileURLToPath(new URL("../src/sql/sqlite/sqlite-worker.ts", import.meta.url));
  const bundler = await import("rolldown" as string).catch(() => undefined);
  if (bundler === undefined) return source;
  mkdirSync(folder, { recursive: true });
  await bundler.build({
    input: { [name]: source, "sqlite-worker": worker },
    platform: "node",
    external: ["pg-native"],
    logLevel: "silent",
    output: { dir: folder, format: "esm", chunkFileNames: "[name].js" },
  });
  cpSync(fileURLToPath(new URL("../package.json", import.meta.url)), join(folder, "package.json"));
  return join(folder, `${name}.js`);
}
