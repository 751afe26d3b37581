// `npm run pack:midfold`: the command `midfold` as it is published, with gateway, chat app and console in it. Our own
// packages travel inside it (`bundleDependencies`), so one version of all of them is installed, or none, and so does the part
// of `eld` that is used.
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "packages/cli/dist/package");
const libraries = ["core", "wire", "store", "server"] as const;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Writes the package into a folder of its own and gives the folder. */
export function packMidfold(): string {
  const web = join(root, "packages/web/dist");
  if (!existsSync(join(web, "index.html")))
    throw new Error("The web app is not built: run `npm run build -w packages/web`.");
  rmSync(target, { recursive: true, force: true });
  writeJavaScript("cli", target);
  copy(join(root, "packages/cli/bin/midfold.cjs"), join(target, "bin/midfold.cjs"));
  for (const library of libraries) {
    const folder = join(target, "node_modules/@midfold", library);
    writeJavaScript(library, folder);
    const { name, version, exports } = manifestOf(library);
    writeJson(join(folder, "package.json"), { name, version, type: "module", exports: compiled(exports) });
  }
  copyLanguageDetector(join(target, "node_modules/eld"));
  cpSync(web, join(target, "web"), { recursive: true });
  writeJson(join(target, "package.json"), manifest());
  for (const name of ["LICENSE", "README.md", "CHANGELOG.md"]) copyFileSync(join(root, name), join(target, name));
  return target;
}

/** A package's sources without their types: just what Node runs in this repository. */
function writeJavaScript(name: string, folder: string): void {
  const sources = join(root, "packages", name, "src");
  for (const path of readdirSync(sources, { recursive: true, encoding: "utf8" })) {
    if (/\.(?:test|test-data)\.ts$|\.d\.ts$|(?:^|\/)testing\//.test(path)) continue;
    const to = join(folder, "src", path.replace(/\.ts$/, ".js"));
    if (path.endsWith(".js")) copy(join(sources, path), to);
    else if (path.endsWith(".ts")) {
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, toJavaScript(readFileSync(join(sources, path), "utf8")));
    }
  }
}

/** `eld` is published with four sets of language data, 9 MB; the one that `@midfold/core` reads is 1 MB of it. */
function copyLanguageDetector(folder: string): void {
  const isUnused = (path: string) =>
    /\/(?:large|medium|small|static\.(?:large|medium|small)|dynamic)\.js$|\.d\.ts$/.test(path);
  cpSync(join(root, "node_modules/eld"), folder, { recursive: true, filter: (path) => !isUnused(path) });
}

/** Modules name each other with their extension, in imports and where a thread is started. */
function toJavaScript(source: string): string {
  return stripTypeScriptTypes(source).replace(/(["'])(\.{1,2}\/[^"'\n]*)\.ts\1/g, "$1$2.js$1");
}

function manifest(): object {
  const own = manifestOf("cli");
  const all = [own, ...libraries.map(manifestOf)].map(({ dependencies }) => dependencies);
  const { exports: _, files: __, dependencies: ___, scripts: ____, ...kept } = own;
  return {
    ...kept,
    bin: { midfold: "bin/midfold.cjs" },
    dependencies: Object.assign({}, ...all),
    bundleDependencies: [...libraries.map((library) => `@midfold/${library}`), "eld"],
  };
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
}

function compiled(exports: Manifest["exports"]): object {
  const kept = Object.entries(exports).filter(([, path]) => !path.includes("/testing/"));
  return Object.fromEntries(kept.map(([name, path]) => [name, path.replace(/\.ts$/, ".js")]));
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

if (import.meta.main) {
  const packed = spawnSync("npm", ["pack", "--pack-destination", dirname(target)], {
    cwd: packMidfold(),
    encoding: "utf8",
  });
  if (packed.status !== 0) throw new Error(`npm pack failed:\n${packed.stdout}${packed.stderr}`);
  console.log(`packages/cli/dist/${packed.stdout.trim().split("\n").at(-1)}`);
}
