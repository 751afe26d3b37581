import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { instrument } from "./scripts/mutate/mutants.ts";

// What `npm run mutate` runs: the tests of one package, with all changes of the scope in the code behind switches.
const root = fileURLToPath(new URL(".", import.meta.url));
const scope = (process.env.MIDFOLD_MUTATE_SCOPE ?? "core/src/budget").split(",");
const tests = (process.env.MIDFOLD_MUTATE_TESTS ?? "core/src").split(",");
const { sources, mutants } = await instrument(root, scope);
if (process.env.MIDFOLD_MUTATE_LIST !== undefined)
  writeFileSync(process.env.MIDFOLD_MUTATE_LIST, JSON.stringify(mutants));
const standIn = fileURLToPath(new URL("scripts/mutate/try-mutants.ts", import.meta.url));

/** The tests of the changed files and folders first, those that take seconds last: what is noticed early is not tried again. */
class QuickFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const slow =
      /\.property\.test|fold\/(fold|turns|recall-places)\.test|context-manager\.test|compact-savings|given-summarizer|proxy\.test/;
    const rank = ({ moduleId }: TestSpecification) =>
      (slow.test(moduleId) ? 2 : 0) +
      (scope.some((part) => moduleId.includes(`/packages/${part.replace(/\.ts$/, ".")}`)) ? 0 : 1);
    return Promise.resolve([...files].sort((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1)));
  }
}

export default defineConfig({
  plugins: [
    {
      name: "changes-behind-switches",
      enforce: "pre",
      resolveId: (source, importer) => (source === "vitest" && importer?.endsWith(".test.ts") ? standIn : undefined),
      load: (id) => sources.get(id.split("?")[0] as string),
      // What is remembered of a conversation would hide a change of its reading from every run but the first.
      transform: (code, id) =>
        id.includes("/packages/") && !id.includes("/node_modules/") && code.includes("new WeakMap")
          ? code.replaceAll("new WeakMap", "new globalThis.__forgetful__")
          : undefined,
    },
  ],
  test: {
    include: tests.map((part) => (part.endsWith(".ts") ? `packages/${part}` : `packages/${part}/**/*.test.ts`)),
    // Counting, formats and models decide nothing here; their tests are long.
    exclude: ["packages/core/src/{tokens,formats,models,clip}/**", "**/node_modules/**", "**/surface.test.ts"],
    setupFiles: ["scripts/mutate/setup.ts"],
    isolate: false,
    maxWorkers: 1,
    fsModuleCache: false,
    sequence: { sequencer: QuickFirst },
    // A test is run once for each change that it reaches.
    testTimeout: 10_000_000,
    // What a change leaves behind after its test has failed is no failure of the run.
    dangerouslyIgnoreUnhandledErrors: true,
    env: { MIDFOLD_PROPERTY_RUNS: "12", MIDFOLD_MUTATE_FILES: JSON.stringify([...sources.keys()]) },
  },
});
