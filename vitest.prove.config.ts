import { defineConfig } from "vitest/config";

const mutation = process.env.MIDFOLD_MUTATION;
const { file, find, replace } = JSON.parse(mutation ?? "{}") as Record<"file" | "find" | "replace", string>;

// What `npm run prove` runs tests with: one file is changed as it is loaded.
export default defineConfig({
  plugins: [
    {
      name: "take-a-behaviour-away",
      enforce: "pre",
      transform: (code, id) => (id.split("?")[0]?.endsWith(file) ? code.replace(find, () => replace) : undefined),
    },
  ],
  // A remembered transformation would be that of the run before, with another change or none.
  test: {
    fsModuleCache: false,
    include: ["packages/*/src/**/*.test.{ts,tsx}", "examples/*.test.ts"],
    maxWorkers: 1,
    testTimeout: 60_000,
  },
});
