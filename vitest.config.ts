import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";

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
          exclude: [...configDefaults.exclude, "tests/web/**"],
        },
      },
      // Every file starts the server and a browser of its own; loading the server's modules anew for each would cost more.
      { extends: true, test: { name: "web", include: ["tests/web/**/*.test.ts"], isolate: false } },
    ],
    // Tests wait for servers and browsers more than they compute: two at a time even on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    setupFiles: ["scripts/fixed-seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    coverage: {
      provider: "v8",
      include: ["packages/core/src/**/*.ts"],
      exclude: ["**/*.test.ts", "**/*.gen.ts", "**/*.d.ts"],
      reporter: ["text-summary"],
      thresholds: { statements: 90, branches: 80, functions: 90, lines: 90 },
    },
  },
});
