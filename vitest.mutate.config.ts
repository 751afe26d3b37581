import { defineConfig } from "vitest/config";

// The tests that mutants of core are tried against: its own, without those that only compare the tokenizer with tables.
export default defineConfig({
  test: {
    include: ["packages/core/src/**/*.test.ts"],
    exclude: ["packages/core/src/tokens/{encoding,pool}/**", "**/node_modules/**"],
    maxWorkers: 1,
    testTimeout: 30_000,
    // Properties look at fewer conversations: each is run for thousands of mutants.
    env: { MIDFOLD_PROPERTY_RUNS: "12" },
  },
});
