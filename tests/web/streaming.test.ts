import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { importMessages, importTalk } from "./call-api.ts";
import { holdAnswers } from "./hold-answers.ts";
import { openSite, type Site } from "./open-site.ts";
import { replyDone, say } from "./talk.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
beforeEach(() => site.demo.holdAfter(5));
afterAll(() => site.close());

const start = async () => {
  const id = await importMessages(site.url, "Streams", [
    { role: "user", content: "one" },
    { role: "assistant", content: "two" },
  ]);
  const page = await site.open(`/s/${id}`);
  await page.getByText("two", { exact: true }).waitFor();
  return { id, page };
};
const someWords = (page: Page) => page.getByRole("article", { name: /^Assistant/ }).getByText(/You said: “Hello/);
/** The words so far are stored: before that a page that is loaded anew gets them by an event or a second list. */
async function stored(id: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${site.url}/api/sessions/${id}/messages?limit=1`);
    if ((await response.text()).includes("You said: “Hello")) return;
  }
}
const allWords = (page: Page) => page.getByText(/Set an API key to talk to a real model\.$/);

it("a reload in the middle of a reply loses nothing: it goes on, and its words come", async () => {
  const { page } = await start();
  await say(page, "Hello from the quay.");
  await someWords(page).waitFor();
  await page.reload();
  await someWords(page).waitFor();
  expect(await allWords(page).count()).toBe(0);
  site.demo.letGo();
  await allWords(page).waitFor();
  await replyDone(page);
  expect(await page.getByText("Cut short").count()).toBe(0);
  await page.close();
});

it("another tab sees the words as they come", async () => {
  const { id, page } = await start();
  const other = await site.open(`/s/${id}`);
  await other.getByText("two", { exact: true }).waitFor();
  await say(page, "Hello from the pier.");
  await someWords(other).waitFor();
  expect(await allWords(other).count()).toBe(0);
  // The tab that asked is closed; the other reads on to the end.
  await page.close();
  site.demo.letGo();
  await allWords(other).waitFor();
  await replyDone(other);
  await other.close();
});

const isMessageList = ({ pathname }: URL) => pathname.endsWith("/messages");

it("a list of messages that is older than the end of the reply does not take its words back", async () => {
  const { id, page } = await start();
  await say(page, "Hello from the lock.");
  await someWords(page).waitFor();
  await stored(id);
  let lists = 0;
  const list = await holdAnswers(page, (url) => {
    if (isMessageList(url) && url.searchParams.get("limit") === "200") lists += 1;
    else return false;
    return lists === 2;
  });
  await page.reload();
  await someWords(page).waitFor();
  await list.asked;
  site.demo.letGo();
  await allWords(page).waitFor();
  await replyDone(page);
  list.letGo();
  await page.getByText("Loading messages").waitFor({ state: "detached" });
  expect(await allWords(page).count()).toBe(1);
  await replyDone(page);
  await page.close();
});

it("words that come while older messages load stay", async () => {
  const id = await importTalk(site.url, "Long", 260, (index) => `message ${index}`);
  const page = await site.open(`/s/${id}`);
  await page.getByText("message 259", { exact: true }).waitFor();
  const older = await holdAnswers(page, (url) => isMessageList(url) && url.searchParams.has("before"));
  const messages = page.getByRole("region", { name: "Messages" });
  await messages.hover();
  await page.mouse.wheel(0, -100_000);
  await older.asked;
  await say(page, "Hello from the dam.");
  await someWords(page).waitFor();
  older.letGo();
  await page.getByText("Loading messages").waitFor({ state: "detached" });
  expect(await someWords(page).count()).toBe(1);
  expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(1);
  site.demo.letGo();
  await allWords(page).waitFor();
  await replyDone(page);
  await page.close();
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
