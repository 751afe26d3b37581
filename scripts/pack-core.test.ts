import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packAdapters } from "./pack-adapters.ts";

const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
let folder: string;

/** A project of somebody else, with the package in its node_modules, as npm would put it there. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "midfold-pack-"));
  const adapters = packAdapters();
  cpSync(join(adapters, "../../../core/dist/package"), join(folder, "node_modules/@midfold/core"), { recursive: true });
  cpSync(adapters, join(folder, "node_modules/@midfold/adapters"), { recursive: true });
  for (const name of ["@noble", "@orama", "@pydantic", "@handlebars", "eld", "stemmer", "@types", "openai"]) {
    symlinkSync(join(modules, name), join(folder, "node_modules", name));
  }
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the published package holds no test and no bench, and says what it is", () => {
  const files = readdirSync(join(folder, "node_modules/@midfold/core"), { recursive: true, encoding: "utf8" });
  expect(files.filter((path) => /\.test|bench|(?<!\.d)\.ts$/.test(path))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE"]));
});

/** The oldest Node on the path, which may be older than the one this runs on. */
const oldest = (process.env.PATH ?? "")
  .split(delimiter)
  .map((place) => join(place, "node"))
  .filter((path) => existsSync(path))
  .map((path) => ({ path, major: Number(/\d+/.exec(execFileSync(path, ["--version"], { encoding: "utf8" }))) }))
  .filter(({ major }) => major >= 20)
  .sort((a, b) => a.major - b.major)[0] ?? { path: process.execPath, major: 0 };

test.each([
  ["this Node", process.execPath, []],
  [`Node ${oldest.major}`, oldest.path, []],
  [
    "a Node that makes no code from strings, as workers do",
    process.execPath,
    ["--disallow-code-generation-from-strings"],
  ],
])("it runs from node_modules on %s, other threads included", (_, node, flags) => {
  const program = `
    import { fold, foldSync, getCounter } from "@midfold/core";
    import { TokenPool } from "@midfold/core/pool";
    const chat = Array.from({ length: 60 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: "word ".repeat(200) + i }));
    const pool = new TokenPool({ deadlineMs: 120_000 });
    const long = "many words ".repeat(50_000);
    const { tokens } = await pool.count(long, { encoding: "o200k_base" });
    await pool.close();
    let prompt = "";
    await fold(chat, {
      model: "gpt-4o", window: 8000, preset: "chat",
      summary: { prompt: "{{#if summary_tag}}Retell{{/if}} {{conversation_history}}" },
      summarizer: async (request) => { prompt = request.prompt; return "The word was said many times, and nothing was decided."; },
    });
    console.log(prompt.startsWith("Retell "), foldSync(chat, { model: "gpt-4o", window: 8000 }).outcome, tokens === getCounter("gpt-4o").count(long));`;
  writeFileSync(join(folder, "program.js"), program);
  expect(execFileSync(node, [...flags, "program.js"], { cwd: folder, encoding: "utf8" })).toBe("true folded true\n");
});

test("its types are found", () => {
  writeFileSync(
    join(folder, "typed.ts"),
    `import { fold, type FoldRecord } from "@midfold/core";
     const { state } = await fold([{ role: "user", content: "hi" }]);
     export const kept: FoldRecord | undefined = state;
     // @ts-expect-error: not a string
     export const wrong: string = state;`,
  );
  const args = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", "node", "typed.ts"];
  expect(() => execFileSync(join(modules, ".bin/tsc"), args, { cwd: folder, stdio: "pipe" })).not.toThrow();
});

test("the adapters beside it wrap a client, with its types", () => {
  const program = `
    import { withMidfold } from "@midfold/adapters/openai";
    import OpenAI from "openai";
    export const client: OpenAI = withMidfold(new OpenAI({ apiKey: "none" }), { window: 8000 });`;
  writeFileSync(join(folder, "wrapped.ts"), program);
  writeFileSync(join(folder, "wrapped.js"), program.replace("client: OpenAI", "client"));
  expect(() => execFileSync(process.execPath, ["wrapped.js"], { cwd: folder, stdio: "pipe" })).not.toThrow();
  const args = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--target",
    "es2024",
    "--types",
    "node",
  ];
  expect(() =>
    execFileSync(join(modules, ".bin/tsc"), [...args, "wrapped.ts"], { cwd: folder, stdio: "pipe" }),
  ).not.toThrow();
});
