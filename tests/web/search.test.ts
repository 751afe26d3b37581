import { afterAll, beforeAll, expect, it } from "vitest";
import { callApi, importMessages, importTalk } from "./call-api.ts";
import { expectAccessible, expectNoSidewaysScroll } from "./expect-page.ts";
import { openSite, type Site } from "./open-site.ts";

let site: Site;
let letters: string;
beforeAll(async () => {
  site = await openSite();
  await importMessages(site.url, "A pelican in the title", [{ role: "user", content: "Nothing of note." }]);
  letters = await importTalk(site.url, "Letters from the coast", 500, (i) =>
    i === 40 ? "We saw a pelican on the old pier." : `Line ${i} about the weather.`,
  );
});
afterAll(() => site.close());

it("finds titles and words inside messages, of all conversations, and leads to the message", async () => {
  const page = await site.open("/");
  await page.getByRole("heading", { name: "Talk as long as you like" }).waitFor();
  await page.getByRole("searchbox", { name: "Find a conversation" }).fill("pelican");
  const list = page.getByRole("navigation", { name: "Conversations" });
  await list.getByRole("link", { name: /A pelican in the title/ }).waitFor();
  const hits = list.getByRole("region", { name: /^In messages/ });
  await hits.getByText("· 1", { exact: true }).waitFor();
  const hit = hits.getByRole("link");
  await hit.getByText("Letters from the coast").waitFor();
  await hit.locator("mark", { hasText: "pelican" }).waitFor();
  await expectAccessible(page);
  await hit.click();
  await page.waitForURL(new RegExp(`/s/${letters}#m-`));
  await page.getByRole("article").and(page.locator(".outline-accent")).getByText("on the old pier").waitFor();
  await page.close();
});

it("says when nothing is found, and pages through many hits", async () => {
  const page = await site.open("/");
  const field = page.getByRole("searchbox", { name: "Find a conversation" });
  await field.fill("walrus");
  await page.getByText("No title has these words.").waitFor();
  await page.getByText("· nothing found").waitFor();
  await field.fill("weather");
  const hits = page.getByRole("region", { name: /^In messages/ });
  await hits.getByText("· 499", { exact: true }).waitFor();
  expect(await hits.getByRole("link").count()).toBe(20);
  await hits.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => hits.getByRole("link").count()).toBe(40);
  await page.close();
});

it("leads to the full history for what was taken out", async () => {
  const id = await importMessages(site.url, "Secrets", [
    { role: "user", content: "The vault code is heliotrope." },
    { role: "assistant", content: "Noted." },
  ]);
  const { messages } = await callApi<{ messages: { id: string }[] }>(site.url, "GET", `/sessions/${id}/messages`);
  await callApi(site.url, "DELETE", `/sessions/${id}/messages/${messages[0]?.id}`);
  const page = await site.open("/", { width: 375, height: 740, theme: "dark" });
  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("searchbox", { name: "Find a conversation" }).fill("heliotrope");
  const hit = page.getByRole("region", { name: /^In messages/ }).getByRole("link");
  await hit.waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await hit.click();
  await page.waitForURL(/\/history#m-/);
  await page.getByRole("article").and(page.locator(".outline-accent")).getByText("heliotrope").waitFor();
  await page.getByRole("searchbox", { name: "Find a conversation" }).waitFor({ state: "hidden" });
  await page.close();
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
