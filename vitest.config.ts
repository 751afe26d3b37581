import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files about what a program does before anything is loaded. */
const fresh = ["packages/core/src/tokens/warm-counter.test.ts"];

/** How long something is waited for that happens by itself: one second, the default, is too short on a busy machine. */
const poll = { timeout: 120_000 };

/** The browser's tests take longest: begun last, one of them would run on alone while the other core idles. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => moduleId.includes("/tests/web/");
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

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
    // Tests wait for servers and browsers more than they compute: two at a time even on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
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
