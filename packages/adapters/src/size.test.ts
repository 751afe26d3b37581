import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

/** Kilobytes, gzipped, that a bundle loads at once, and later with the module named; other chunks are not counted. */
async function loaded(code: string, later?: string): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    splitting: true,
    write: false,
    metafile: true,
    outdir: "out",
    logLevel: "silent",
  });
  const { outputs } = metafile;
  const needed = new Set<string>();
  const add = (path: string) => {
    if (needed.has(path)) return;
    needed.add(path);
    for (const { path: inner, kind } of outputs[path]!.imports) if (kind === "import-statement") add(inner);
  };
  const entries = Object.keys(outputs).filter((path) => outputs[path]!.entryPoint !== undefined);
  // Sorted by a hash of their contents, so that it may be any of them.
  add(entries.find((path) => outputs[path]!.entryPoint === "<stdin>")!);
  if (later !== undefined) add(entries.find((path) => outputs[path]!.entryPoint!.endsWith(later))!);
  const paths = [...needed];
  const files = outputFiles.filter(({ path }) => paths.some((wanted) => path.endsWith(wanted)));
  return files.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0) / 1000;
}

it.each(["@midfold/core", "@midfold/core/light"])(
  "import { fold } from %s loads at most 45 kB, and 88 with the first fold: tables, prices and templates come when they are needed",
  async (entry) => {
    const code = `import { fold } from "${entry}"; globalThis.fold = fold;`;
    const first = await loaded(code);
    expect(first).toBeGreaterThan(20);
    expect(first).toBeLessThan(45);
    const folding = await loaded(code, "fold-with-digests.ts");
    expect(folding).toBeGreaterThan(first + 10);
    expect(folding).toBeLessThan(88);
  },
);

it("an adapter adds next to nothing", async () => {
  const size = await loaded('import { withMidfold } from "@midfold/adapters/openai"; globalThis.w = withMidfold;');
  expect(size).toBeLessThan(55);
});
