import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeApiPages } from "./write-api-docs.ts";

const folder = join(import.meta.dirname, "../docs/api");

it("the API reference has a page for every entry and names what it offers; otherwise run npm run docs:api", () => {
  const pages = writeApiPages();
  expect(readdirSync(folder).sort()).toEqual([...pages.keys()].map((name) => `${name}.md`).sort());
  const namesIn = (text: string) => text.match(/^### .*/gm) ?? [];
  for (const [name, text] of pages) {
    expect(namesIn(readFileSync(join(folder, `${name}.md`), "utf8")), name).toEqual(namesIn(text));
  }
});

it("every function at the root says what it does", () => {
  const page = writeApiPages().get("core")!;
  const sections = page.split("\n### ").slice(1);
  const silent = sections.filter((text) => /```ts\n(?:async )?function/.test(text) && /^\w+\n\n```/.test(text));
  expect(silent.map((text) => text.split("\n")[0])).toEqual([]);
  expect(sections.length).toBeGreaterThan(40);
});
