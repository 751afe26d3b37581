// `npm run bench -w packages/core -- <name>` runs bench/<name>.ts; without a name, the fold bench.
import { readdirSync } from "node:fs";

const names = readdirSync(import.meta.dirname)
  .filter(
    (file) => file.endsWith(".ts") && file !== "main.ts" && file !== "install-peers.ts" && file !== "recorded-data.ts",
  )
  .map((file) => file.slice(0, -3));
const name = process.argv[2] ?? "fold";
if (!names.includes(name)) {
  console.error(`bench: name one of ${names.join(", ")}`);
  process.exitCode = 1;
} else {
  await import(`./${name}.ts`);
}
