import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as root from "./index.ts";

const packageFolder = join(import.meta.dirname, "..");
const { exports } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
  exports: Record<string, string>;
};

it("the root offers what most programs need, and no more than a screen of it", () => {
  const names = Object.keys(root);
  expect(names).toEqual(expect.arrayContaining(["fold", "foldSync", "plan", "countTokens", "getCounter", "presets"]));
  expect(names.length).toBeLessThanOrEqual(25);
});

it("every entry is a file with a sentence about itself", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => /^[a-z]+\.ts$/.test(name) && name !== "index.ts");
  expect(files.map((name) => `./src/${name}`).sort()).toEqual(
    Object.entries(exports)
      .filter(([name]) => name !== "." && name !== "./pool")
      .map(([, path]) => path)
      .sort(),
  );
  for (const file of files) expect(readFileSync(join(import.meta.dirname, file), "utf8")).toMatch(/^\/\*\*/);
});

it("no name means two things in two entries", async () => {
  const meanings = new Map<string, unknown>();
  for (const path of Object.values(exports)) {
    const entry = (await import(join(packageFolder, path))) as Record<string, unknown>;
    for (const [name, value] of Object.entries(entry)) {
      if (meanings.has(name)) expect(value, name).toBe(meanings.get(name));
      meanings.set(name, value);
    }
  }
  expect(meanings.size).toBeGreaterThan(100);
});
