// `npm run pack:core`: @midfold/core as it is published. In this repository Node runs the sources as they are; under
// node_modules it refuses to strip types, so a package needs plain JavaScript, with declarations beside it.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const core = join(root, "packages/core");
const target = join(core, "dist/package");

/** Writes the package into a folder of its own and gives the folder. */
export function packCore(): string {
  rmSync(target, { recursive: true, force: true });
  run(join(root, "node_modules/.bin/tsc"), ["-p", join(core, "tsconfig.publish.json")]);
  // Generated tables are JavaScript already.
  for (const path of filesBelow(join(core, "src"))) if (/\.gen\.(?:d\.ts|js)$/.test(path)) copy(`src/${path}`);
  // The one module that is named by address instead of an import.
  replaceIn("src/tokens/pool/token-pool.node.js", "./count-worker.node.ts", "./count-worker.node.js");
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  copy("README.md");
  for (const name of ["LICENSE", "CHANGELOG.md"]) copyFileSync(join(root, name), join(target, name));
  return target;
}

function manifest(): object {
  const { scripts: _, files: __, exports, ...kept } = JSON.parse(readFileSync(join(core, "package.json"), "utf8"));
  const compiled = Object.entries(exports as Record<string, string>).map(([name, path]) => {
    const base = path.replace(/\.ts$/, "");
    return [name, { types: `${base}.d.ts`, default: `${base}.js` }];
  });
  return { ...kept, exports: Object.fromEntries(compiled) };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" });
}

function copy(path: string): void {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  copyFileSync(join(core, path), join(target, path));
}

function replaceIn(path: string, from: string, to: string): void {
  const text = readFileSync(join(target, path), "utf8");
  if (!text.includes(from)) throw new Error(`${path} no longer names ${from}: scripts/pack-core.ts must follow.`);
  writeFileSync(join(target, path), text.replace(from, to));
}

function run(command: string, args: readonly string[], cwd = root): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
}

if (import.meta.main) {
  run("npm", ["pack", "--pack-destination", dirname(target)], packCore());
  console.log(`${dirname(target)}: ${readdirSync(dirname(target)).filter((name) => name.endsWith(".tgz"))}`);
}
