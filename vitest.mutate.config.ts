import { defineConfig } from "vitest/config";

/** `MIDFOLD_MUTATE_TESTS=context-manager,budget`: only the tests of these folders, for a quick look at one. */
const folders = process.env.MIDFOLD_MUTATE_TESTS?.split(",") ?? ["**"];

// The tests that mutants of core are tried against: its own, without those of counting, formats and models, which decide
// nothing and would be run again before every measurement.
export default defineConfig({
  test: {
    include: folders.map((folder) => `packages/core/src/${folder}/**/*.test.ts`),
    exclude: ["packages/core/src/{tokens,formats,models,clip}/**", "**/node_modules/**"],
    setupFiles: ["scripts/fixed-seed.ts"],
    maxWorkers: 1,
    testTimeout: 30_000,
    // Properties look at fewer conversations: each is run for thousands of mutants.
    env: { MIDFOLD_PROPERTY_RUNS: "12" },
  },
});
