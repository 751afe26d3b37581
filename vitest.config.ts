import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files about what a program does before anything is loaded. */
const fresh = ["packages/core/src/tokens/warm-counter.test.ts"];

/** How long something is waited for that happens by itself: one second, the default, is too short on a busy machine. */
const poll = { timeout: 120_000 };

/** Takes longest, in this order. Begun last, one of these would run on alone while the other cores idle. */
const longest = [
  "/tests/web/",
  "/scripts/snippets.",
  "/folds/fold-rate.",
  "/contract.postgres.",
  "/scripts/build-docs.",
  "/encoding/exactness.",
  "/read-messages.property.",
  "/turn/stop-reply.",
  "/turn/concurrency.",
  "/scripts/pack-core.",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((part) => moduleId.includes(part));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).sort((left, right) => rank(left) - rank(right));
  }
}

// Programs and threads that tests start load the same few hundred files: compiled once, they start in half the time.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: [
            "packages/*/src/**/*.test.{ts,tsx}",
            "tests/**/*.test.ts",
            "scripts/**/*.test.ts",
            "bench/**/*.test.ts",
            "examples/**/*.test.ts",
          ],
          exclude: [...configDefaults.exclude, "tests/web/**", ...fresh],
          // A worker loads the server, the SDKs and the tokenizer once for all its files: loading them anew for each of 190
          // files took a third of the time.
          isolate: false,
        },
      },
      {
        extends: true,
        // What these wait for on a page is what they compare.
        test: {
          name: "web",
          include: ["tests/web/**/*.test.ts"],
          globalSetup: ["tests/web/build-site.ts"],
          isolate: false,
          expect: { requireAssertions: false, poll },
        },
      },
      { extends: true, test: { name: "fresh", include: fresh } },
    ],
    sequence: { sequencer: LongestFirst },
    // Tests also wait for servers and browsers: one more at a time than there are cores, so that none idles.
    maxWorkers: availableParallelism() + 1,
    setupFiles: ["scripts/fixed-seed.ts"],
    // A test that compared nothing has shown nothing.
    expect: { requireAssertions: true, poll },
    // A test that hangs is stopped; how fast the machine is must not decide. On two cores with sixteen waiting, the longest
    // took a minute.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    coverage: {
      provider: "v8",
      include: ["packages/core/src/**/*.ts"],
      exclude: ["**/*.test.ts", "**/*.gen.ts", "**/*.d.ts"],
      reporter: ["text-summary"],
      thresholds: { statements: 90, branches: 80, functions: 90, lines: 90 },
    },
  },
});
