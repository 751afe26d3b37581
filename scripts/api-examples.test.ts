import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writeApiPages } from "./write-api-docs.ts";

// Every exported function shows how it is called, and what it shows compiles.
const root = join(import.meta.dirname, "..");

/** Names that examples use without saying where they come from. */
const given = `
import type { FoldRecord, FoldTokens, Message, TokenCounter } from "@midfold/core";
import type { ContextState, ContextStates } from "@midfold/core/compat";
import type { View } from "@midfold/core/strategies";
import type { Summarizer, SummaryResult } from "@midfold/core/summaries";
import type { PreparableCounter } from "@midfold/core/tokens";
export { openai } from "@ai-sdk/openai";
export { default as Anthropic } from "@anthropic-ai/sdk";
export { Agent } from "@mastra/core/agent";
export { MemorySession, run } from "@openai/agents";
export { chat } from "@tanstack/ai";
export { generateText, wrapLanguageModel } from "ai";
export { createAgent } from "langchain";
export { readFile } from "node:fs/promises";
export { Worker, workerData } from "node:worker_threads";
export { default as OpenAI } from "openai";
export declare const messages: Message[];
export declare const newer: Message[];
export declare const first: Message;
export declare const second: Message;
export declare const longer: Message[];
export declare const folded: Message[];
export declare const message: Message;
export declare const counter: TokenCounter & PreparableCounter;
export declare const mine: TokenCounter;
export declare const longOutput: string;
export declare const summary: string;
export declare const instructions: string;
export declare const error: unknown;
export declare const tokens: FoldTokens;
export declare const record: FoldRecord;
export declare const result: SummaryResult;
export declare const summarizer: Summarizer;
export declare const state: ContextState | undefined;
export declare const states: ContextStates;
export declare const view: View;
export declare function sleep(ms: number): Promise<void>;
export declare function write(signal: AbortSignal): Promise<string>;
`;

/** Things of other packages: what matters is where Midfold is put, not what stands beside it. */
const givenToAdapters = ["messages", "model", "tools", "adapter", "agent"]
  .map((name) => `export declare const ${name}: never;`)
  .join("\n");

interface Shown {
  readonly page: string;
  readonly specifier: string;
  readonly name: string;
  readonly isFunction: boolean;
  readonly examples: readonly string[];
}

const shown: readonly Shown[] = [...writeApiPages()]
  .filter(([page]) => page !== "index")
  .flatMap(([page, text]) => {
    const specifier = /^# (\S+)/.exec(text)?.[1] ?? "";
    return text
      .split(/^### /m)
      .slice(1)
      .map((section) => section.split(/^## /m)[0] ?? "")
      .map((section) => ({
        page,
        specifier,
        name: section.split("\n", 1)[0] ?? "",
        isFunction: /^```ts\n(?:async )?function/m.test(section),
        examples: [...section.matchAll(/^Example:\n\n```ts\n([\s\S]*?)\n```/gm)].map(([, code = ""]) => code),
      }));
  });

let folder = "";
beforeAll(() => {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, "midfold-examples-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("every exported function has an example", () => {
  const without = shown.filter(({ isFunction, examples }) => isFunction && examples.length === 0);
  expect(without.map(({ page, name }) => `${page}: ${name}`)).toEqual([]);
  expect(shown.filter(({ isFunction }) => isFunction).length).toBeGreaterThan(100);
});

it("every example compiles", () => {
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "given.ts"), given);
  writeFileSync(join(folder, "given-to-adapters.ts"), givenToAdapters);
  const files = shown.flatMap(({ page, specifier, name, examples }) =>
    examples.map((code, index) => {
      const file = `${page}-${name}-${index}.ts`;
      writeFileSync(join(folder, file), `${importsOf(code, specifier)}\n${code}\nexport {};\n`);
      return file;
    }),
  );
  const config = { extends: join(root, "tsconfig.json"), files, include: [], exclude: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder, "--pretty", "false"], {
    encoding: "utf8",
  });
  expect(stdout.split("\n").filter((line) => line !== "")).toEqual([]);
}, 120_000);

it("every value that an example promises is what comes out", async () => {
  const entries = [...new Set(shown.map(({ specifier }) => specifier))].filter((name) =>
    name.startsWith("@midfold/core"),
  );
  const values = Object.assign({}, ...(await Promise.all(entries.map((entry) => import(entry))))) as object;
  const promises = shown
    .flatMap(({ examples }) => examples)
    .flatMap((code) => [...code.matchAll(/^(?!const )(.*); \/\/ ("[^"]*"|\d+|\{.*\}|true|false)$/gm)])
    .map(([, code = "", value = ""]) => ({ code, value }));
  for (const { code, value } of promises) {
    const names = Object.keys(values).filter((name) => new RegExp(`\\b${name}\\b`).test(code));
    const evaluate = new Function(...names, `return [${code}, ${value}]`);
    const [seen, promised] = evaluate(...names.map((name) => Reflect.get(values, name)));
    expect(seen, code).toEqual(promised);
  }
  expect(promises.length).toBeGreaterThan(10);
});

/** What the code uses: from its own entry where that has it, else from another one, else one of the given names. */
function importsOf(code: string, specifier: string): string {
  const inAdapters = specifier.startsWith("@midfold/adapters");
  const words = new Set(code.replace(/"[^"]*"|\/\/.*/g, "").match(/(?<!(?<!\.\.)\.)\b[A-Za-z]\w*\b(?!\s*:)/g));
  // In `const { messages: fitted } = …` the new name is `fitted`.
  const made = [...code.matchAll(/\b(?:const|let) ([^=]*)=/g)].flatMap(([, names = ""]) =>
    names.replace(/\w+:/g, "").match(/\w+/g),
  );
  return [...words]
    .filter((word) => !made.includes(word))
    .map((word) => {
      const offering = shown.filter(({ name, page }) => name === word && page !== "core-light");
      const own = offering.find((item) => item.specifier === specifier);
      const other =
        offering.find((item) => item.specifier.startsWith("@midfold/adapters") === inAdapters) ?? offering[0];
      const from = (own ?? other)?.specifier ?? givenFrom(word, inAdapters);
      return from === undefined ? "" : `import { ${word} } from "${from}";`;
    })
    .join("\n");
}

function givenFrom(word: string, inAdapters: boolean): string | undefined {
  if (inAdapters && namesIn(givenToAdapters).has(word)) return "./given-to-adapters.ts";
  return namesIn(given).has(word) ? "./given.ts" : undefined;
}

function namesIn(source: string): ReadonlySet<string> {
  const declared = [...source.matchAll(/^export declare (?:const|function) (\w+)/gm)].map(([, name = ""]) => name);
  const passedOn = [...source.matchAll(/^export \{ (.*) \}/gm)].flatMap(([, names = ""]) => names.split(", "));
  return new Set([...declared, ...passedOn.map((name) => name.replace("default as ", ""))]);
}
