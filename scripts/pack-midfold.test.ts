import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packMidfold } from "./pack-midfold.ts";

const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
let folder: string;
let main: string;

/** As npm would install it: our own packages inside, everybody else's beside it. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "midfold-pack-"));
  const installed = join(folder, "node_modules/midfold");
  cpSync(packMidfold(), installed, { recursive: true });
  for (const name of readdirSync(modules)) {
    if (!name.startsWith(".") && !["@midfold", "midfold"].includes(name)) {
      symlinkSync(join(modules, name), join(folder, "node_modules", name));
    }
  }
  main = join(installed, JSON.parse(readFileSync(join(installed, "package.json"), "utf8")).bin.midfold);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("it holds JavaScript only, and no test", () => {
  const files = readdirSync(join(folder, "node_modules/midfold"), { recursive: true, encoding: "utf8" });
  expect(files.filter((path) => path.includes("/ngrams/"))).toEqual(["node_modules/eld/src/ngrams/extrasmall.js"]);
  expect(files.filter((path) => /\.tsx?$|\.test/.test(path))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md", "web/index.html", "bin/midfold.cjs"]),
  );
});

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}
const manifestIn = (path: string): Manifest => JSON.parse(readFileSync(join(path, "package.json"), "utf8"));

test("it says what npm's page shows", () => {
  const manifest = manifestIn(join(folder, "node_modules/midfold"));
  expect(manifest).toMatchObject({ license: "MIT", publishConfig: { access: "public", provenance: true } });
  for (const field of ["description", "keywords", "repository", "homepage", "bugs", "engines"]) {
    expect(manifest[field], field).toBeDefined();
  }
  expect(manifest.private).toBeUndefined();
});

test("with all it depends on it stays under 60 MB and 80 packages", () => {
  const found = new Map<string, number>();
  const visit = (name: string, from: string) => {
    // npm puts a package beside whoever needs it when another version is at the top.
    const near = join(from, "node_modules", name);
    const path = existsSync(near) ? near : join(modules, name);
    if (found.has(path) || !existsSync(path)) return;
    const manifest = manifestIn(path);
    found.set(path, sizeOf(path));
    for (const below of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) visit(below, path);
  };
  const installed = join(folder, "node_modules/midfold");
  const { dependencies = {} } = manifestIn(installed);
  for (const name of Object.keys(dependencies)) if (!name.startsWith("@midfold/")) visit(name, installed);
  const bytes = sizeOf(installed) + [...found.values()].reduce((sum, size) => sum + size, 0);
  expect(found.size).toBeGreaterThan(20);
  expect(found.size).toBeLessThan(80);
  expect(bytes / 1e6).toBeLessThan(60);
});

/** What a folder takes, without the packages below it. */
function sizeOf(path: string): number {
  return readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
    const below = join(path, entry.name);
    if (entry.isDirectory())
      return entry.name === "node_modules" && path !== join(folder, "node_modules/midfold") ? sum : sum + sizeOf(below);
    return sum + statSync(below).size;
  }, 0);
}

test("every workspace is named in the Dockerfile, so that its dependencies are installed before its sources change", () => {
  const { workspaces } = manifestIn(fileURLToPath(new URL("..", import.meta.url)));
  const dockerfile = readFileSync(new URL("../deploy/Dockerfile", import.meta.url), "utf8");
  for (const path of workspaces as string[]) expect(dockerfile).toContain(`COPY ${path}/package.json ${path}/`);
});

test("its command folds", () => {
  const chat = Array.from({ length: 60 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${"word ".repeat(200)}${i}`,
  }));
  writeFileSync(join(folder, "chat.json"), JSON.stringify(chat));
  const args = [main, "fold", "chat.json", "--model", "gpt-4o", "--window", "8000"];
  const folded = JSON.parse(execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", stdio: "pipe" }));
  expect(JSON.stringify(folded).length).toBeLessThan(JSON.stringify(chat).length / 2);
});

test("it serves the chat app, with a database on a thread of its own", async () => {
  const server = spawn(process.execPath, [main, "serve", "--port", "0"], { cwd: folder });
  try {
    let url: string | undefined;
    for await (const line of createInterface(server.stdout)) {
      url = /(http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (url !== undefined) break;
    }
    const page = await fetch(`${url}/`);
    expect(await page.text()).toContain("<title>Midfold");
    const made = await fetch(`${url}/api/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ title: "From the package" }),
    });
    expect(made.status).toBe(201);
    expect(await (await fetch(`${url}/api/sessions`)).text()).toContain("From the package");
  } finally {
    server.kill("SIGTERM");
    await once(server, "exit");
  }
});
