import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { requirementIds } from "./requirement-ids.ts";
import { requirementMutations } from "./requirement-mutations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Row {
  readonly id: string;
  readonly livesIn: readonly string[];
  readonly proofs: readonly string[];
  readonly state: string;
}

function readRows(markdown: string): Row[] {
  return markdown
    .split("\n")
    .filter((line) => /^\| R\d/.test(line))
    .map((line) => {
      const [id = "", , livesIn = "", proofs = "", state = ""] = line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("\\|", "|"));
      return { id, livesIn: list(livesIn, ","), proofs: list(proofs, ";"), state };
    });
}

function list(cell: string, separator: string): string[] {
  return cell
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

const place = (path: string) => join(root, path.startsWith("/") ? path : join("packages", path));

/** What is wrong with a proof (`path › test title`, or the command of a bench), or undefined. */
function problemOf(proof: string): string | undefined {
  if (proof.startsWith("npm run ")) return problemOfCommand(proof);
  const [path = "", title] = proof.split(" › ").map((item) => item.trim());
  if (!existsSync(place(path))) return `${path} does not exist`;
  if (title === undefined) return /\.test\.tsx?$|bench|\/tests\//.test(path) ? undefined : `${path} is not a test`;
  const source = readFileSync(place(path), "utf8").replaceAll(/\\(["'`])/g, "$1");
  return problemOfTitle(source, title, path);
}

/** A test counts when its title stands where a test has its title, and nothing switches it off. */
function problemOfTitle(source: string, title: string, path: string): string | undefined {
  const places = [...source.matchAll(new RegExp(toPattern(title), "g"))].map(({ index }) => source.slice(0, index));
  const before = places.find((text) => /(?:\b(?:it|test|describe)(?:\.\w+)*|\)|`)\(\s*["'`][^"'`\n]*$/.test(text));
  if (before === undefined) return `${path} has no test "${title}"`;
  const calls = [...before.matchAll(/\b(?:it|test|describe)((?:\.\w+)*)(?:<[^>]*>)?[(`]/g)];
  const off = /\.(?:skip|todo|fails|only)\b/;
  if (off.test(calls.at(-1)?.[1] ?? "")) return `${path} switches "${title}" off`;
  return /^\s*describe\.(?:skip|todo)\b/m.test(source) ? `${path} switches some of its tests off` : undefined;
}

const toPattern = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Benches prove what tests may not assert: figures that depend on the machine. */
function problemOfCommand(command: string): string | undefined {
  const [, script = "", folder = "."] = /^npm run (\S+)(?: -w (\S+))?/.exec(command) ?? [];
  const manifest = join(root, folder, "package.json");
  const scripts = existsSync(manifest) ? (JSON.parse(readFileSync(manifest, "utf8")).scripts ?? {}) : {};
  if (!Object.hasOwn(scripts, script)) return `${folder} has no script "${script}"`;
  const name = / -- ([\w-]+)$/.exec(command)?.[1];
  if (name === undefined || existsSync(join(root, folder, "bench", `${name}.ts`))) return undefined;
  return `${folder} has no bench "${name}"`;
}

const rows = readRows(readFileSync(join(root, "docs/requirements.md"), "utf8"));

describe("docs/requirements.md", () => {
  test("has exactly one row for every requirement", () => {
    expect(rows.map((row) => row.id).sort()).toEqual([...requirementIds].sort());
  });

  test("knows no state but done and planned", () => {
    expect(rows.filter((row) => !["done", "planned"].includes(row.state))).toEqual([]);
  });

  test("every done row names places and tests that exist", () => {
    const problems = rows
      .filter((row) => row.state === "done")
      .flatMap((row) => [
        ...(row.proofs.length === 0 ? [`${row.id}: no proof`] : []),
        ...(row.livesIn.length === 0 ? [`${row.id}: no place`] : []),
        ...row.livesIn.filter((path) => !existsSync(place(path))).map((path) => `${row.id}: ${path} does not exist`),
        ...row.proofs.flatMap((proof) => problemOf(proof) ?? []).map((problem) => `${row.id}: ${problem}`),
      ]);
    expect(problems).toEqual([]);
  });
});

describe("scripts/requirement-mutations.ts", () => {
  test.each(requirementMutations)("$row: `$find` can be taken away, and its test exists", (mutation) => {
    const { row, file: changed, find, replace, test: path, title } = mutation;
    expect(requirementIds).toContain(row);
    expect(readFileSync(join(root, changed), "utf8").split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
    // The tests of the store are written once for both databases.
    const contract = path.startsWith("packages/store/src/contract.");
    const places = contract ? globSync("packages/store/src/testing/*.ts", { cwd: root }) : [path];
    expect(places.map((file) => problemOf(`/${file} › ${title}`))).toContain(undefined);
  });
});

test("the bench of counting and truncating measures both figures, and fails where one is missed", () => {
  const { stdout, status } = spawnSync(process.execPath, ["packages/core/bench/main.ts", "limits"], {
    cwd: root,
    encoding: "utf8",
  });
  const { figures, messages } = JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? "{}");
  expect(messages).toBe(100);
  expect(figures).toEqual([
    { what: "one message counted, the slowest of 100", limit: 10, ms: expect.any(Number) },
    { what: "100 messages truncated", limit: 50, ms: expect.any(Number) },
  ]);
  // How fast this machine is decides nothing here: only that a missed figure is an error.
  const met = figures.every(({ ms, limit }: { ms: number; limit: number }) => ms > 0 && ms < limit);
  expect(status).toBe(met ? 0 : 1);
});

describe("the check itself", () => {
  test("sees a missing file, a missing title and a proof that is no test", () => {
    expect(problemOf("core/src/nowhere.test.ts")).toMatch(/does not exist/);
    expect(problemOf("/scripts/requirements.test.ts › no such title".replace("no such", "never written"))).toMatch(
      /has no test/,
    );
    expect(problemOf("core/src/index.ts")).toMatch(/is not a test/);
    expect(problemOf("npm run never-written -w packages/core")).toMatch(/has no script/);
    expect(problemOf("npm run bench -w packages/core -- accounting")).toBeUndefined();
    expect(problemOf("npm run bench -w packages/core -- never-written")).toMatch(/has no bench/);
    expect(problemOf("core/bench/limits.ts › what")).toMatch(/has no test/);
    expect(problemOf("/scripts/requirements.test.ts › sees a missing file")).toBeUndefined();
    const say = (source: string) => problemOfTitle(source, "keeps all", "x.test.ts");
    expect(say('it("keeps all of it", () => {});')).toBeUndefined();
    expect(say('test.each([1, 2])("keeps all %i", () => {});')).toBeUndefined();
    expect(say("// keeps all, says a comment")).toMatch(/has no test/);
    expect(say('expect(text).toBe("keeps all");')).toMatch(/has no test/);
    expect(say('it.skip("keeps all", () => {});')).toMatch(/switches "keeps all" off/);
    expect(say('describe.skip("x", () => { it("keeps all", () => {}); });')).toMatch(/switches some/);
  });
});
