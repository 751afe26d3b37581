// `npm run pack:core`: @midfold/core as it is published. In this repository Node runs the sources as they are; under
// node_modules it refuses to strip types, so a package needs plain JavaScript, with declarations beside it.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Writes the package into a folder of its own and gives the folder. */
export function packCore(): string {
  const target = packLibrary("core");
  const sources = join(root, "packages/core/src");
  // Generated tables are JavaScript already.
  for (const path of readdirSync(sources, { recursive: true, encoding: "utf8" })) {
    if (/\.gen\.(?:d\.ts|js)$/.test(path)) copy(join(sources, path), join(target, "src", path));
  }
  // The one module that is named by address instead of an import.
  const pool = join(target, "src/tokens/pool/token-pool.node.js");
  const text = readFileSync(pool, "utf8");
  const [from, to] = ["./count-worker.node.ts", "./count-worker.node.js"];
  if (!text.includes(from)) throw new Error(`${pool} no longer names ${from}: scripts/pack-core.ts must follow.`);
  writeFileSync(pool, text.replace(from, to));
  return target;
}

/** A package of ours as JavaScript with declarations beside it, in its `dist/package`. */
export function packLibrary(name: "core" | "adapters"): string {
  const folder = join(root, "packages", name);
  const target = join(folder, "dist/package");
  rmSync(target, { recursive: true, force: true });
  runOrThrow(join(root, "node_modules/.bin/tsc"), ["-p", join(folder, "tsconfig.publish.json")]);
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifestOf(folder), null, 2)}\n`);
  copy(join(folder, "README.md"), join(target, "README.md"));
  for (const file of ["LICENSE", "CHANGELOG.md"]) copy(join(root, file), join(target, file));
  return target;
}

function manifestOf(folder: string): object {
  const own = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { scripts: _, files: __, devDependencies: ___, exports, ...kept } = own;
  const compiled = Object.entries(exports as Record<string, string>).map(([name, path]) => {
    const base = path.replace(/\.ts$/, "");
    return [name, { types: `${base}.d.ts`, default: `${base}.js` }];
  });
  return { ...kept, exports: Object.fromEntries(compiled) };
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/** Runs a program to its end; what it printed becomes the error when it fails. */
export function runOrThrow(command: string, args: readonly string[], cwd = root): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
}

if (import.meta.main) {
  const target = packCore();
  runOrThrow("npm", ["pack", "--pack-destination", dirname(target)], target);
  console.log(`${dirname(target)}: ${readdirSync(dirname(target)).filter((name) => name.endsWith(".tgz"))}`);
}
