import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const below = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path));
const pages = [...readdirSync(root), ...below("docs"), "packages/core/README.md", "packages/testkit/README.md"]
  .filter((path) => path.endsWith(".md"))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
const scriptsOf = (folder: string): object =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).scripts ?? {};

test("every link between pages leads somewhere", () => {
  const broken = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !existsSync(join(root, dirname(path), target)))
      .map((target) => `${path}: ${target}`),
  );
  expect(pages.length).toBeGreaterThan(15);
  expect(broken).toEqual([]);
});

test("every npm script that a page names exists", () => {
  const unknown = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)(?: -w (\S+?)[`\s])?/g)]
      .filter(([, script = "", folder = "."]) => !Object.hasOwn(scriptsOf(folder), script))
      .map(([command]) => `${path}: ${command}`),
  );
  expect(unknown).toEqual([]);
});

test("every decision is in the index", () => {
  const index = pages.find(({ path }) => path === "docs/decisions/README.md")?.text ?? "";
  const missing = readdirSync(join(root, "docs/decisions")).filter(
    (name) => name.endsWith(".md") && name !== "README.md" && !index.includes(`(${name})`),
  );
  expect(missing).toEqual([]);
});

test("every source file that a page names exists", () => {
  const sources = ["packages", "tests", "bench", "scripts", "examples"]
    .flatMap(below)
    .filter((path) => !path.includes("node_modules"))
    .concat(readdirSync(root));
  // Pages name files by the end of their path, as long as that says which one is meant.
  const exists = (name: string) => sources.some((path) => path === name || path.endsWith(`/${name}`));
  const gone = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/`([\w@][\w@./-]*\.tsx?)`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !exists(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(gone).toEqual([]);
});
