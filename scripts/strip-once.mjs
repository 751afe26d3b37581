// node --import ./scripts/strip-once.mjs file.ts: runs TypeScript as Node does by itself, but takes the types out of each
// file only once and keeps the result. What takes them out is a program of its own that stays in memory, 30 MB in the
// server and 10 MB in each of its threads, and it is not loaded where every file is known. A packed Midfold has no types.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";

const folder = fileURLToPath(new URL("../node_modules/.midfold/javascript/", import.meta.url));

registerHooks({
  load(url, context, next) {
    if (!url.startsWith("file:") || !url.endsWith(".ts")) return next(url, context);
    const source = readFileSync(fileURLToPath(url), "utf8");
    // One file per source, so that what is kept does not grow; its first line says what it was made from.
    const kept = `${folder}${hash(url)}.js`;
    const from = `//${hash(process.version + source)}\n`;
    return { format: "module", source: read(kept, from) ?? write(kept, from, source), shortCircuit: true };
  },
});

function read(kept, from) {
  try {
    const text = readFileSync(kept, "utf8");
    return text.startsWith(from) ? text.slice(from.length) : undefined;
  } catch {
    return undefined;
  }
}

function write(kept, from, source) {
  const javascript = withoutWarning(() => stripTypeScriptTypes(source));
  try {
    mkdirSync(folder, { recursive: true });
    // Several processes start at once: each writes its own file and puts it in place whole.
    const own = `${kept}.${process.pid}.${threadId}`;
    writeFileSync(own, from + javascript);
    renameSync(own, kept);
  } catch {
    // A folder that cannot be written only means that it is done again the next time.
  }
  return javascript;
}

/** Node says with every process that this function may change. */
function withoutWarning(work) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function hash(text) {
  return createHash("sha256").update(text).digest("hex");
}
