import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadConfig } from "@midfold/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { indentedBlocks, type Snippet, snippetsOf } from "./snippets.ts";

// Every command and every piece of code that a page shows is run, or says why not.
const root = fileURLToPath(new URL("..", import.meta.url));
const pages = [
  "README.md",
  "packages/core/README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter(
      (path) =>
        path.endsWith(".md") && !/^(decisions|api|\.vitepress)\/|^(requirements|http-reference)\.md$/.test(path),
    )
    .map((path) => join("docs", path)),
].map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "midfold-snippets-"));
  mkdirSync(join(folder, "bin"));
  const command = `#!/bin/sh\nexec "${process.execPath}" "${join(root, "packages/cli/src/main.ts")}" "$@"\n`;
  writeFileSync(join(folder, "bin/midfold"), command);
  chmodSync(join(folder, "bin/midfold"), 0o755);
  writeFileSync(join(folder, "conversation.json"), JSON.stringify(longChat()));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the pages call `conversation.json`. */
function longChat(): object[] {
  return Array.from({ length: 61 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Message ${at}. ${"The quick brown fox jumps over the lazy dog. ".repeat(40)}`,
  }));
}

describe.each(pages)("$path", ({ path, text }) => {
  const snippets = snippetsOf(text);
  const runnable = snippets.filter(({ notRun }) => notRun === undefined);

  it("marks code as code of some language", () => {
    expect(indentedBlocks(text)).toEqual([]);
    expect(snippets.filter(({ language }) => language === "").map(({ line }) => line)).toEqual([]);
  });

  const settings = runnable.filter(({ language }) => language === "yaml" || language === "json");
  it.skipIf(settings.length === 0)("has configuration that loads and JSON that parses", () => {
    for (const { code, line } of settings.filter(({ language }) => language === "yaml")) {
      const variables = [...code.matchAll(/apiKeyEnv: (\w+)|\$\{(\w+)\}/g)].map(([, key, other]) => [
        key ?? other,
        "x",
      ]);
      expect(() => loadConfig({ file: `${path}:${line}`, text: code }, Object.fromEntries(variables))).not.toThrow();
    }
    for (const { code } of settings.filter(({ language }) => language === "json")) {
      expect(() => JSON.parse(code)).not.toThrow();
    }
  });

  const commands = runnable.filter(({ language }) => language === "sh");
  if (commands.length > 0)
    it.each(commands.map((snippet) => [snippet.line, snippet] as const))(
      "runs the commands at line %i",
      runCommands,
      120_000,
    );
});

it("every program in a page runs", { timeout: 120_000 }, () => {
  const programs = pages.flatMap(({ path, text }) =>
    snippetsOf(text)
      .filter(({ language, notRun }) => language === "ts" && notRun === undefined)
      .map(({ code, line }) => ({ code, place: `${path}:${line}` })),
  );
  expect(programs.length).toBeGreaterThan(8);
  // In the repository, where the packages are found, and in one process, since loading the engine takes longest.
  const work = mkdtempSync(join(root, "scripts/snippets.tmp-"));
  try {
    programs.forEach(({ code }, at) => {
      writeFileSync(join(work, `${at}.ts`), code);
    });
    const driver = `
      const places = ${JSON.stringify(programs.map(({ place }) => place))};
      const log = console.log;
      console.log = () => {};
      for (const [at, place] of places.entries())
        await import(\`./\${at}.ts\`).catch((error) => log(place, error.message));`;
    writeFileSync(join(work, "driver.ts"), driver);
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(work, "driver.ts")], { encoding: "utf8" });
    expect({ status, stdout, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  } finally {
    rmSync(work, { recursive: true });
  }
});

function runCommands(_: number, { code }: Snippet): void {
  const { status, stdout, stderr } = spawnSync("bash", ["-e", "-c", code], {
    cwd: folder,
    encoding: "utf8",
    env: {
      PATH: `${join(folder, "bin")}:${process.env.PATH}`,
      HOME: folder,
      LANG: "C.UTF-8",
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    },
  });
  expect(status === 0 ? "" : `${stdout}${stderr}`).toBe("");
}
