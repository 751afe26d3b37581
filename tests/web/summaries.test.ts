import { expect, it } from "vitest";
import { callApi, loadExample } from "./call-api.ts";
import { eventually, expectAccessible } from "./expect-page.ts";
import { useSite } from "./open-site.ts";

const site = useSite();

interface SummaryList {
  readonly activeId: string;
  readonly summaries: readonly { readonly id: string; readonly text: string }[];
}

it("a summary is written anew, beside the first", async () => {
  const id = await loadExample(site.url);
  await callApi(site.url, "POST", `/sessions/${id}/messages`, { text: "Which date?", stream: false });
  const active = async () => {
    const list = await callApi<SummaryList>(site.url, "GET", `/sessions/${id}/summaries`);
    return list.summaries.find((summary) => summary.id === list.activeId);
  };
  const first = await active();
  // The second has less room.
  await callApi(site.url, "PATCH", "/settings", { scope: `session:${id}`, set: { maxSummaryTokens: 150 } });

  const page = await site.open(`/s/${id}#summary`);
  const card = page.getByRole("region", { name: /^Summary of \d+ messages/ });
  await card.getByRole("button", { name: "Regenerate" }).click();
  const versions = card.getByRole("combobox", { name: "Version" });
  await eventually(() => versions.locator("option").allTextContents()).toEqual(["2 · built in", "1 · built in"]);
  const second = await active();
  expect(second?.text).not.toBe(first?.text);
  await expectAccessible(page);

  // The first can be compared and put in force again.
  await card.getByRole("tab", { name: "Diff" }).click();
  await card.locator("ins").first().waitFor();
  await versions.selectOption("1 · built in");
  await eventually(async () => (await active())?.text).toBe(first?.text);
  await eventually(() => versions.locator("option").count()).toBe(3);
  await card.getByRole("button", { name: "Copy summary" }).click();
  await eventually(() => page.evaluate(() => navigator.clipboard.readText())).toBe(first?.text);
  await page.close();
});

it("the dialog tells all messages, those to summarize, and the size to come", async () => {
  const id = await loadExample(site.url);
  const { messageCount } = await callApi<{ messageCount: number }>(site.url, "GET", `/sessions/${id}`);
  const page = await site.open(`/s/${id}`);
  await page.getByRole("button", { name: "Summarize conversation history" }).click();
  const dialog = page.getByRole("dialog", { name: "Summarize conversation history" });
  const fact = (name: string) => dialog.getByText(name, { exact: true }).locator("xpath=following-sibling::dd");
  await eventually(() => fact("In this conversation").textContent()).toBe(`${messageCount} messages`);
  expect(await fact("To be summarized").textContent()).toMatch(/^\d+ messages/);
  expect(await fact("Next request").textContent()).toMatch(/^[\d,]+ → about [\d,]+ tokens/);
  await page.close();
});
