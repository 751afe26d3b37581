// The arrows of ARCHITECTURE.md, checked: which package may import which, that no import reaches into another's inside,
// and that the folders of a package do not import each other in circles.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** For each package, the Midfold packages its source may import. Tests may also import testkit. */
const arrows: Record<string, readonly string[]> = {
  core: [],
  adapters: ["core"],
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
  const folders = new Map<string, Set<string>>();
  for (const path of filesBelow(source)) {
    const file = join(source, path);
    const isTest = /\.test(?:-data)?\.tsx?$|(?:^|\/)testing\//.test(path);
    for (const match of readFileSync(file, "utf8").matchAll(importPattern)) {
      const specifier = match[1] ?? match[2] ?? "";
      const target = packageOf(specifier);
      const where = relative(root, file);
      if (target !== undefined) {
        const open = allowed.includes(target) || target === name || (isTest && target === "testkit");
        if (!open) problems.push(`${where}: ${name} may not import ${specifier}`);
      } else if (specifier.startsWith(".")) {
        const to = relative(source, join(file, "..", specifier));
        if (to.startsWith("..")) {
          if (!isTest && !specifier.endsWith("package.json"))
            problems.push(`${where}: ${specifier} leaves the package`);
        } else if (!isTest) addImport(folders, folderOf(path), folderOf(to));
      }
    }
  }
  for (const circle of circlesIn(folders)) {
    problems.push(`packages/${name}/src: these folders import each other in a circle: ${circle.join(", ")}`);
  }
}
for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0 ? "boundaries: every import follows the arrows" : `boundaries: ${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

function filesBelow(source: string): string[] {
  try {
    return readdirSync(source, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path));
  } catch {
    return [];
  }
}

/** The first folder of a path; a file that lies in none stands for itself. */
function folderOf(path: string): string {
  return path.split("/")[0] as string;
}

function addImport(folders: Map<string, Set<string>>, from: string, to: string): void {
  if (from === to) return;
  folders.set(from, (folders.get(from) ?? new Set()).add(to));
}

/** Groups of folders each of which can be reached from every other (Tarjan's strongly connected components). */
function circlesIn(folders: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (folder: string): number => {
    const at = order.size;
    order.set(folder, at);
    stack.push(folder);
    let low = at;
    for (const next of folders.get(folder) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, lowest.get(next) ?? order.get(next) ?? at);
    }
    lowest.set(folder, low);
    if (low === at) {
      const circle = stack.splice(stack.indexOf(folder));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return low;
  };
  for (const folder of folders.keys()) if (!order.has(folder)) visit(folder);
  return circles;
}
