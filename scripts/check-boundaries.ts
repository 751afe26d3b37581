// The arrows of ARCHITECTURE.md, checked: which package may import which, and that no import reaches into another's inside.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** For each package, the Midfold packages its source may import. Tests may also import testkit. */
const arrows: Record<string, readonly string[]> = {
  core: [],
  wire: ["core"],
  store: ["core"],
  server: ["core", "wire", "store"],
  cli: ["core", "wire", "store", "server"],
  web: ["core"],
  testkit: ["core"],
};

const packageOf = (specifier: string) =>
  specifier === "midfold" || specifier.startsWith("midfold/") ? "cli" : /^@midfold\/([a-z]+)/.exec(specifier)?.[1];
const importPattern = /(?:^|\n)\s*(?:import|export)\s[^;"']*?from\s*["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)/g;

const problems: string[] = [];
for (const [name, allowed] of Object.entries(arrows)) {
  const source = join(root, "packages", name, "src");
  for (const path of readdirSync(source, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(path)) continue;
    const file = join(source, path);
    const isTest = /\.test(?:-data)?\.tsx?$/.test(path);
    for (const match of readFileSync(file, "utf8").matchAll(importPattern)) {
      const specifier = match[1] ?? match[2] ?? "";
      const target = packageOf(specifier);
      const where = relative(root, file);
      if (target !== undefined) {
        const open = allowed.includes(target) || target === name || (isTest && target === "testkit");
        if (!open) problems.push(`${where}: ${name} may not import ${specifier}`);
      } else if (specifier.startsWith(".") && relative(source, join(file, "..", specifier)).startsWith("..")) {
        if (!isTest && !specifier.endsWith("package.json")) problems.push(`${where}: ${specifier} leaves the package`);
      }
    }
  }
}
for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0 ? "boundaries: every import follows the arrows" : `boundaries: ${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
