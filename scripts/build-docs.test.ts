import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeApi } from "../packages/server/src/site/describe-api.ts";
import { renderHttpReference } from "./build-docs.ts";

// The site itself takes half a minute: `npm run docs:build`, which also refuses dead links.
const docs = fileURLToPath(new URL("../docs", import.meta.url));

test("the HTTP reference names every path of the server", () => {
  const page = renderHttpReference();
  const { paths } = describeApi("0") as { readonly paths: Readonly<Record<string, object>> };
  expect(Object.keys(paths).length).toBeGreaterThan(30);
  expect(Object.keys(paths).filter((path) => !page.includes(`${path}\``))).toEqual([]);
});

test("every page is in the site's sidebar", () => {
  const config = readFileSync(`${docs}/.vitepress/config.ts`, "utf8");
  const pages = readdirSync(docs).filter((name) => name.endsWith(".md") && name !== "index.md");
  const presets = readdirSync(`${docs}/presets`).map((name) => name.replace(/\.md$/, ""));
  expect(pages.filter((name) => !config.includes(`"/${name.replace(/\.md$/, "")}"`))).toEqual([]);
  expect(presets.filter((name) => !config.includes(`"${name}"`))).toEqual([]);
});
