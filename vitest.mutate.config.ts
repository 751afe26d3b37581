import { defineConfig } from "vitest/config";

// The tests that mutants of core are tried against: its own, without those of counting, formats and models, which decide
// nothing and would be run again before every measurement.
export default defineConfig({
  test: {
    include: ["packages/core/src/**/*.test.ts"],
    exclude: ["packages/core/src/{tokens,formats,models,clip}/**", "**/node_modules/**"],
    setupFiles: ["scripts/fixed-seed.ts"],
    maxWorkers: 1,
    testTimeout: 30_000,
    // Properties look at fewer conversations: each is run for thousands of mutants.
    env: { MIDFOLD_PROPERTY_RUNS: "12" },
  },
});
