import { expect, it } from "vitest";
import { callApi, importMessages, loadExample } from "./call-api.ts";
import { expectAccessible } from "./expect-page.ts";
import { useSite } from "./open-site.ts";
import { replyDone, say } from "./talk.ts";

const site = useSite();

it("formulas, diagrams and task lists are shown as what they are", async () => {
  const id = await importMessages(site.url, "Rich", [
    { role: "user", content: "Show me" },
    {
      role: "assistant",
      content:
        "The area is \\(\\pi r^2\\), and it costs $5 or $10.\n\n- [x] measured\n- [ ] cut\n\n```mermaid\ngraph TD; Quay-->Crane;\n```",
    },
  ]);
  const page = await site.open(`/s/${id}`);
  await page.locator("math").first().waitFor();
  expect(await page.locator("math").count()).toBe(1);
  await page.getByText("it costs $5 or $10", { exact: false }).waitFor();
  await page.getByRole("img", { name: "done" }).waitFor();
  const frame = page.frameLocator('iframe[title="Diagram"]');
  await frame.getByText("Crane").waitFor();
  await page.getByRole("button", { name: "Code", exact: true }).click();
  await page.getByText("graph TD; Quay-->Crane;").waitFor();
  await expectAccessible(page);
  await page.close();
});

it("the demo answers from what reaches it: the same before the fold and after it", async () => {
  const id = await loadExample(site.url);
  const page = await site.open(`/s/${id}`);
  await page.getByRole("article").last().waitFor();
  await callApi(site.url, "PATCH", "/settings", { scope: `session:${id}`, set: { autoCompression: false } });
  await callApi(site.url, "PATCH", `/sessions/${id}`, { model: "midfold-demo" });
  await say(page, "Which date did we agree on?");
  const answer = page.getByRole("article").last().locator("strong", { hasText: "14 October" });
  await answer.waitFor();
  await replyDone(page);

  // The promise of the dialog is kept.
  await page.getByRole("button", { name: "Summarize conversation history" }).click();
  const dialog = page.getByRole("dialog", { name: "Summarize conversation history" });
  const promise = await dialog.getByText(/→ about [\d,]+ tokens/).textContent();
  const promised = Number(/about ([\d,]+)/.exec(promise ?? "")?.[1]?.replaceAll(",", ""));
  await dialog.getByRole("button", { name: /^Summarize \d+/ }).click();
  const result = await dialog.getByText(/^Summarized \d+ messages/).textContent();
  const real = Number(/→\s*([\d,]+) tokens/.exec(result ?? "")?.[1]?.replaceAll(",", ""));
  expect(Math.abs(promised - real) / real).toBeLessThan(0.15);
  await page.keyboard.press("Escape");

  await say(page, "Which date did we agree on?");
  await page.getByRole("article").last().locator("strong", { hasText: "14 October" }).waitFor();
  await replyDone(page);

  // The summary is text, not its source, and its diff is one.
  const card = page.getByRole("region", { name: /^Summary of \d+ messages/ });
  await page.getByRole("link", { name: "Show in the conversation" }).click();
  await card.getByRole("heading").first().waitFor();
  expect(await card.getByRole("region", { name: "Summary text" }).textContent()).not.toMatch(/^#|\*\*/m);
  await card.getByRole("tab", { name: "Diff" }).click();
  await card.getByRole("region", { name: "Changes" }).locator("del").first().waitFor();
  await expectAccessible(page);
  await page.close();
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
