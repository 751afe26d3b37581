import { afterAll, beforeAll, expect, it } from "vitest";
import { callApi, importMessages } from "./call-api.ts";
import { expectAccessible, expectNoSidewaysScroll } from "./expect-page.ts";
import { openSite, type Site } from "./open-site.ts";
import { type StubbornModel, startStubbornModel } from "./start-stubborn-model.ts";
import { composer, replyDone, say } from "./talk.ts";

let site: Site;
let model: StubbornModel;
beforeAll(async () => {
  model = await startStubbornModel();
  site = await openSite(model.yaml);
});
afterAll(async () => {
  await site.close();
  model.close();
});

const start = () => importMessages(site.url, "Trouble", [{ role: "user", content: "hello" }], "stubborn-1");

it.each([
  ["bad-key", "The upstream refused the configured key.", "Incorrect API key provided."],
  ["busy", "The upstream's rate limit is used up.", "Rate limit reached for stubborn-1."],
  ["refuse", "The upstream refused the request.", "no"],
] as const)("says why there is no reply: %s", async (mode, title, words) => {
  model.mode = mode;
  const id = await start();
  const page = await site.open(`/s/${id}`, { width: 375, height: 740, theme: "dark" });
  await page.getByText("hello", { exact: true }).waitFor();
  await say(page, "Are you there?");
  const alert = page.getByRole("alert");
  await alert.getByText(title).waitFor();
  await page.getByRole("article").getByText(`No reply: ${words}`).waitFor();
  // The particulars stand at one place.
  if (mode === "busy") expect(await alert.textContent()).not.toContain(words);
  expect(await alert.getByRole("link", { name: "Check the key of its provider" }).count()).toBe(
    mode === "bad-key" ? 1 : 0,
  );
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);

  await callApi(site.url, "PATCH", `/sessions/${id}`, { model: "midfold-demo" });
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.getByText("You said: “Are you there?").waitFor();
  await replyDone(page);
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.close();
});

it("gives the words back when the server cannot be reached, and goes on when it can", async () => {
  const id = await importMessages(site.url, "Gone", [{ role: "user", content: "hello" }]);
  const page = await site.open(`/s/${id}`);
  await page.getByText("hello", { exact: true }).waitFor();
  await page.route("**/messages", (route) => route.abort());
  await say(page, "Do not lose this.");
  await page.getByText("The server cannot be reached. Check that Midfold is running.").waitFor();
  expect(await composer(page).inputValue()).toBe("Do not lose this.");
  await expectAccessible(page);
  await page.unroute("**/messages");
  await composer(page).press("Enter");
  await page.getByText("You said: “Do not lose this.").waitFor();
  await page.close();
});

it("says that the server is gone, and takes it back when it is there again", async () => {
  const id = await importMessages(site.url, "Away", [{ role: "user", content: "hello" }]);
  const page = await site.open(`/s/${id}`, { width: 375, height: 740, theme: "dark" });
  await page.route("**/api/**", (route) => route.abort());
  await page.reload();
  const banner = page.getByRole("status").getByText("The server cannot be reached. Trying again…");
  await banner.waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await page.unroute("**/api/**");
  await banner.waitFor({ state: "detached" });
  await page.getByText("hello", { exact: true }).waitFor();
  await page.close();
});

it("says that a conversation does not exist, and leads away", async () => {
  const page = await site.open("/s/nobody");
  await page.getByRole("alert").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Go to your conversations" }).click();
  await page.getByRole("heading", { name: "Talk as long as you like" }).waitFor();
  await page.goto(`${site.url}/nowhere`);
  await page.getByText("There is nothing at this address").waitFor();
  await expectAccessible(page);
  await page.close();
});
