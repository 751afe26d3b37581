// Lists tests whose title names a requirement that docs/requirements.md still calls planned: `node scripts/suggest-proofs.ts`.
// It only suggests: whether a test proves the whole requirement is for a person to say.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const planned = new Set(
  [...readFileSync(join(root, "docs/requirements.md"), "utf8").matchAll(/^\| (R\d [^|]+?) \|.*\| planned \|$/gm)].map(
    (row) => row[1],
  ),
);

for (const path of readdirSync(join(root, "packages"), { recursive: true, encoding: "utf8" })) {
  if (!/\.test\.tsx?$/.test(path) || path.includes("node_modules")) continue;
  const source = readFileSync(join(root, "packages", path), "utf8");
  for (const [, title = ""] of source.matchAll(/\b(?:it|test)(?:\.each\([^)]*\))?\(\s*"((?:[^"\\]|\\.)*)"/g)) {
    const document = /^R\d/.exec(title)?.[0];
    const ids = [...title.matchAll(/\b(N?FR-[\d.]*\d|CX-N?T\d+|AC-\d+)/g)].map((match) => `${document} ${match[1]}`);
    for (const id of ids.filter((each) => planned.has(each))) console.log(`${id}: ${path} › ${title}`);
  }
}
