import { afterAll, beforeAll, expect, it } from "vitest";
import { callApi, loadExample } from "./call-api.ts";
import { expectAccessible } from "./expect-page.ts";
import { openSite, type Site } from "./open-site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

const patience = { timeout: 20_000 };

it("R1 open question 6 a summary is written anew, beside the first", async () => {
  const id = await loadExample(site.url);
  await callApi(site.url, "POST", `/sessions/${id}/messages`, { text: "Which date?", stream: false });
  const page = await site.open(`/s/${id}#summary`);
  const card = page.getByRole("region", { name: /^Summary of \d+ messages/ });
  await card.getByRole("button", { name: "Regenerate" }).click();
  await expect.poll(() => card.getByRole("combobox", { name: "Version" }).locator("option").count(), patience).toBe(2);
  await expectAccessible(page);
  await page.close();
});

it("R1 FR-2.3.2 the dialog tells all messages, those to summarize, and the size to come", async () => {
  const id = await loadExample(site.url);
  const { messageCount } = await callApi<{ messageCount: number }>(site.url, "GET", `/sessions/${id}`);
  const page = await site.open(`/s/${id}`);
  await page.getByRole("button", { name: "Summarize conversation history" }).click();
  const dialog = page.getByRole("dialog", { name: "Summarize conversation history" });
  const fact = (name: string) => dialog.getByText(name, { exact: true }).locator("xpath=following-sibling::dd");
  await expect.poll(() => fact("In this conversation").textContent(), patience).toBe(`${messageCount} messages`);
  expect(await fact("To be summarized").textContent()).toMatch(/^\d+ messages/);
  expect(await fact("Next request").textContent()).toMatch(/^[\d,]+ → about [\d,]+ tokens/);
  await page.close();
});
