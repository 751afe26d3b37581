import { expect, it } from "vitest";
import { importMessages, importTalk } from "./call-api.ts";
import { holdAnswers } from "./hold-answers.ts";
import { measureLoad } from "./measure-load.ts";
import { useSite } from "./open-site.ts";

const site = useSite();

it("a conversation's messages are asked for before its page is loaded, and nothing that takes long before them", async () => {
  const id = await importTalk(site.url, "Long", 150, (index) => `number ${index} of all`);
  const page = await site.open("/healthz");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const script = await holdAnswers(page, ({ pathname }) => /^\/assets\/chat-page-.*\.js$/.test(pathname));
  const list = await holdAnswers(page, ({ pathname }) => pathname.endsWith("/messages"));
  // Rows that are made and thrown away on the way to the end are work before the first word.
  await page.addInitScript(() => {
    new MutationObserver(() => {
      if (document.body?.textContent.includes("number 0 of all")) document.documentElement.dataset.sawFirst = "yes";
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(`${site.url}/s/${id}`);
  await list.asked;
  script.letGo();
  await page.getByRole("textbox", { name: "Message", exact: true }).waitFor();
  expect(asked.filter((path) => /\/(?:usage|models)$/.test(path))).toEqual([]);
  list.letGo();
  await page.getByText("number 149 of all").waitFor();
  await page.getByRole("meter").waitFor();
  expect(await page.locator("html").getAttribute("data-saw-first")).toBe(null);
  await page.close();
});

it("a conversation that is opened first loads less than 265 kB before it can be read", async () => {
  const id = await importMessages(site.url, "Light", [
    { role: "user", content: "one" },
    { role: "assistant", content: "two" },
  ]);
  const { firstKb, page } = await measureLoad(site, `/s/${id}`, ["textarea", "article"]);
  expect(firstKb).toBeLessThan(265);
  await page.close();
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
