import { expect, test } from "vitest";
import { describeApi } from "../packages/server/src/site/describe-api.ts";
import { renderHttpReference } from "./build-docs.ts";

// The site itself takes half a minute: `npm run docs:build`, which also refuses dead links.

test("the HTTP reference names every path of the server", () => {
  const page = renderHttpReference();
  const { paths } = describeApi("0") as { readonly paths: Readonly<Record<string, object>> };
  expect(Object.keys(paths).length).toBeGreaterThan(30);
  expect(Object.keys(paths).filter((path) => !page.includes(`${path}\``))).toEqual([]);
});
