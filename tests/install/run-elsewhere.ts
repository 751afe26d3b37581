import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Runs wherever JavaScript runs: by the root and by the light entry, with a summary from a template, and by an adapter. */
const program = `
import { fold, foldSync, getCounter } from "@midfold/core";
import { fold as lightFold } from "@midfold/core/light";
import { midfoldFetch } from "@midfold/adapters/fetch";
export async function tryMidfold() {
  const chat = Array.from({ length: 80 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: "word ".repeat(200) + i }));
  const results = [
    (await fold(chat, { model: "gpt-4o", window: 8000 })).outcome,
    foldSync(chat, { model: "gpt-4o", window: 8000 }).outcome,
    getCounter("gpt-4o").count("hello world"),
    (await lightFold(chat, { window: 8000, counter: (text) => text.length / 4 })).outcome,
  ];
  let prompt = "";
  await fold(chat, {
    model: "gpt-4o", window: 8000, preset: "chat",
    summary: { prompt: "Retell{{#if language}} it{{/if}}: {{conversation_history}}", language: "English" },
    summarizer: async (request) => { prompt = request.prompt; return "The word was said many times, and nothing was decided."; },
  });
  results.push(prompt.startsWith("Retell it: "));
  let sent = 0;
  const send = midfoldFetch({ window: 8000 }, async (_, init) => { sent = String(init.body).length; return new Response("{}"); });
  await send("https://api.openai.com/v1/chat/completions", { method: "POST", body: JSON.stringify({ model: "gpt-4o", messages: chat }) });
  results.push(sent > 1000 && sent < 50000);
  return results.join(" ");
}
`;
export const expected = "folded folded 2 folded true true";

export interface Elsewhere {
  readonly name: string;
  /** What it printed, or undefined where the runtime cannot be installed. */
  readonly seen: string | undefined;
}

/** The same program on every runtime that could be installed, in a folder that has the packed library. */
export async function runElsewhere(folder: string, runtimes: string): Promise<Elsewhere[]> {
  writeFileSync(join(folder, "everywhere.mjs"), program);
  writeFileSync(
    join(folder, "print.mjs"),
    'import { tryMidfold } from "./everywhere.mjs";\nconsole.log(await tryMidfold());\n',
  );
  const inside = (path: string) => join(runtimes, "node_modules", path);
  const run = (name: string, command: string, args: readonly string[]): Elsewhere => {
    if (!existsSync(command)) return { name, seen: undefined };
    const { stdout, stderr, error } = spawnSync(command, [...args, "print.mjs"], {
      cwd: folder,
      encoding: "utf8",
      timeout: 60_000,
      env: { HOME: folder, PATH: "/usr/bin:/bin" },
    });
    return { name, seen: stdout.trim() || error?.message || stderr.trim().slice(0, 300) };
  };
  return [
    run("Node 24", process.execPath, []),
    run("Node 24 without code from strings", process.execPath, ["--disallow-code-generation-from-strings"]),
    run("Node 20", inside(`node-${process.platform}-${process.arch}/bin/node`), []),
    run("Bun", inside(`@oven/bun-${process.platform}-${process.arch}/bin/bun`), []),
    run("Deno", inside(`@deno/${process.platform}-${process.arch}-glibc/deno`), ["run", "-A"]),
    await runInWorker(folder, runtimes),
  ];
}

/** Cloudflare's workerd, bundled as its own tools would. */
async function runInWorker(folder: string, runtimes: string): Promise<Elsewhere> {
  const name = "a Cloudflare worker (workerd)";
  const load = createRequire(join(runtimes, "package.json"));
  let Miniflare: new (options: object) => { dispatchFetch(url: string): Promise<Response>; dispose(): Promise<void> };
  let build: (options: object) => Promise<unknown>;
  try {
    ({ Miniflare } = load("miniflare"));
    ({ build } = load("esbuild"));
  } catch {
    return { name, seen: undefined };
  }
  const entry =
    'import { tryMidfold } from "./everywhere.mjs";\nexport default { fetch: async () => new Response(await tryMidfold().catch((error) => String(error.stack))) };\n';
  writeFileSync(join(folder, "worker-entry.mjs"), entry);
  const outfile = join(folder, "worker.mjs");
  await build({
    entryPoints: [join(folder, "worker-entry.mjs")],
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker"],
    outfile,
  });
  const worker = new Miniflare({
    modules: true,
    script: readFileSync(outfile, "utf8"),
    compatibilityDate: "2025-01-01",
  });
  try {
    return { name, seen: await (await worker.dispatchFetch("http://worker/")).text() };
  } finally {
    await worker.dispose();
  }
}
