import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callApi, importMessages, loadExample } from "./call-api.ts";
import { expectAccessible } from "./expect-page.ts";
import { openSite, type Site } from "./open-site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

const patience = { timeout: 20_000 };
const background = (locator: Locator) => locator.evaluate((element) => getComputedStyle(element).backgroundColor);
/** A colour by its name in the style sheet, as the browser computes it. */
const named = (page: Page, name: string) =>
  page.evaluate((variable) => {
    const probe = document.createElement("span");
    probe.style.background = `var(${variable})`;
    document.body.append(probe);
    const colour = getComputedStyle(probe).backgroundColor;
    probe.remove();
    return colour;
  }, name);

it("R1 FR-6.1.1 the bar turns orange from 80 % and red from 95 %, with words beside the colour", async () => {
  const id = await importMessages(site.url, "Filling up", [{ role: "user", content: "one" }], "midfold-demo-2k");
  const { usable, total } = await callApi<{ usable: number; total: number }>(site.url, "GET", `/sessions/${id}/usage`);
  const page = await site.open(`/s/${id}`);
  const meter = page.getByRole("button", { name: /^Context usage/ });
  await meter.waitFor();
  const bar = meter.locator("[aria-hidden] span span").first();
  const write = (share: number) =>
    page
      .getByRole("textbox", { name: "Message", exact: true })
      .fill("word ".repeat(Math.round(usable * share) - total - 10));
  await write(0.6);
  await expect.poll(() => background(bar), patience).toBe(await named(page, "--fine"));
  await write(0.87);
  await meter.getByText("Getting full").waitFor();
  await expect.poll(() => background(bar), patience).toBe(await named(page, "--warn"));
  await write(0.98);
  await meter.getByText("Almost full").waitFor();
  await expect.poll(() => background(bar), patience).toBe(await named(page, "--alarm"));
  await page.close();
});

it("R1 FR-6.1.2 FR-6.2 the summary is a card of its own colour with a badge, opened and closed in place", async () => {
  const id = await loadExample(site.url);
  await callApi(site.url, "POST", `/sessions/${id}/messages`, { text: "Which date?", stream: false });
  const page = await site.open(`/s/${id}#summary`);
  const card = page.getByRole("region", { name: /^Summary of \d+ messages/ });
  await card.getByText(/^\d+ messages folded$/).waitFor();
  await card.getByRole("tab", { name: "Summary" }).waitFor();
  expect(await background(card)).toBe(await named(page, "--fold"));
  expect(await background(card)).not.toBe(await background(page.getByRole("article").last()));
  const toggle = card.getByRole("button", { expanded: true });
  await toggle.click();
  await card.getByRole("tab", { name: "Summary" }).waitFor({ state: "detached" });
  await card.getByRole("button", { expanded: false }).click();
  await card.getByRole("tab", { name: "Summary" }).waitFor();

  // R1 open question 6: another try, kept beside the first.
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
