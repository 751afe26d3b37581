import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeApi } from "../packages/server/src/site/describe-api.ts";
import { buildDocs, renderHttpReference } from "./build-docs.ts";

const docs = fileURLToPath(new URL("../docs", import.meta.url));

test("the site is built, with every page and no dead link", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "midfold-site-"));
  try {
    expect(buildDocs(folder)).toBeUndefined();
    const pages = readdirSync(docs, { recursive: true, encoding: "utf8" }).filter(
      (path) => path.endsWith(".md") && !path.startsWith(".vitepress"),
    );
    const built = (path: string) => path.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html");
    expect(pages.length).toBeGreaterThan(25);
    expect(pages.filter((path) => !existsSync(join(folder, built(path))))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the HTTP reference names every path of the server", () => {
  const page = renderHttpReference();
  const { paths } = describeApi("0") as { readonly paths: Readonly<Record<string, object>> };
  expect(Object.keys(paths).length).toBeGreaterThan(30);
  expect(Object.keys(paths).filter((path) => !page.includes(`${path}\``))).toEqual([]);
});
