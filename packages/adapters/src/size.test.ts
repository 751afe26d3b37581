import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

/** Kilobytes, gzipped, that a bundle loads at once; what is loaded later is in chunks of its own. */
async function loadedAtOnce(code: string): Promise<number> {
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
  add(Object.keys(outputs).find((path) => outputs[path]!.entryPoint !== undefined)!);
  const paths = [...needed];
  const files = outputFiles.filter(({ path }) => paths.some((wanted) => path.endsWith(wanted)));
  return files.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0) / 1000;
}

it.each(["@midfold/core", "@midfold/core/light"])(
  "import { fold } from %s loads at most 70 kB: tables, prices and templates come when they are needed",
  async (entry) => {
    const size = await loadedAtOnce(`import { fold } from "${entry}"; globalThis.fold = fold;`);
    expect(size).toBeGreaterThan(20);
    expect(size).toBeLessThan(70);
  },
);

it("an adapter adds next to nothing", async () => {
  const size = await loadedAtOnce(
    'import { withMidfold } from "@midfold/adapters/openai"; globalThis.w = withMidfold;',
  );
  expect(size).toBeLessThan(75);
});
