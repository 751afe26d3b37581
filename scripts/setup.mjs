// Makes a fresh clone ready: installs when the lockfile changed, then builds the web app when its sources did.
// With --build-only it installs nothing.
// Plain JavaScript without dependencies, since it runs before anything is installed, on whatever Node the machine has.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const manifests = [
  "package.json",
  "package-lock.json",
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/package.json`),
];
if (!process.argv.includes("--build-only")) {
  step("install", manifests, ["node_modules/.bin/node"], "npm", [
    "install",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ]);
}

if (existsSync(join(root, "packages/web/index.html"))) {
  const sources = [
    "package-lock.json",
    "packages/web/index.html",
    "packages/web/diagram.html",
    "packages/web/vite.config.ts",
    ...filesBelow("packages/web/public"),
    ...filesBelow("packages/web/src"),
    ...filesBelow("packages/core/src"),
  ];
  step("build the web app", sources, ["packages/web/dist/index.html"], "npm", [
    "run",
    "--silent",
    "build",
    "-w",
    "packages/web",
    // Not the list of 130 files it writes: what to do next stands below it. Errors are still shown.
    "--",
    "--logLevel=error",
  ]);
}

/** Runs a command when the content of `inputs` differs from its last successful run, or when an output is missing. */
function step(name, inputs, outputs, command, args) {
  const stamp = join(root, "node_modules/.midfold", `${name.replaceAll(" ", "-")}.sha256`);
  const present = inputs.map((path) => join(root, path)).filter((path) => existsSync(path));
  const digest = () => {
    const hash = createHash("sha256");
    for (const path of present) hash.update(path.slice(root.length)).update(readFileSync(path));
    return hash.digest("hex");
  };
  const fresh =
    outputs.every((path) => existsSync(join(root, path))) &&
    existsSync(stamp) &&
    readFileSync(stamp, "utf8") === digest();
  if (fresh) return;
  process.stderr.write(`midfold: ${name} …\n`);
  const done = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
    // Vitest sets NODE_ENV to "test", with which React would be built with all its checks, and half as large again.
    env: name === "install" ? process.env : { ...process.env, NODE_ENV: "production" },
  });
  if (done.status !== 0) {
    process.stderr.write(
      `midfold: could not ${name} (\`${command} ${args.join(" ")}\` failed). Fix the error above and run the command again.\n`,
    );
    process.exit(done.status ?? 1);
  }
  mkdirSync(join(root, "node_modules/.midfold"), { recursive: true });
  writeFileSync(stamp, digest());
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((path) => statSync(join(root, path)).isFile())
    .sort();
}
