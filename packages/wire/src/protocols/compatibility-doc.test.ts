import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const root = new URL("../../../../", import.meta.url);

it("docs/wire-compatibility.md names points 1 to 78, and every test it names exists", () => {
  const page = readFileSync(new URL("docs/wire-compatibility.md", root), "utf8");
  const rows = [...page.matchAll(/^\| (\d+) \|.*\| ([\w.]+) \|$/gm)];
  expect(rows.map((row) => Number(row[1]))).toEqual(Array.from({ length: 78 }, (_, at) => at + 1));
  const sources = ["packages/wire/src/", "packages/server/src/"].map((folder) => new URL(folder, root));
  const tests = sources
    .flatMap((source) =>
      readdirSync(source, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".test.ts"))
        .map((path) => readFileSync(new URL(path, source), "utf8")),
    )
    .join("\n");
  for (const [, point, name] of rows) {
    if (name === "gateway") continue;
    expect(name?.split(".")[1], `point ${point}`).toBe(point);
    expect(tests, `no test is called ${name}`).toMatch(new RegExp(`"[^"]*\\b${name?.replace(".", "\\.")}\\b`));
  }
});
