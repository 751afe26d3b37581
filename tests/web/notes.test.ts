import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { importMessages } from "./call-api.ts";
import { eventually } from "./expect-page.ts";
import { useSite } from "./open-site.ts";

const site = useSite();

const note = (page: Page) => page.getByText("Deleted", { exact: true });
const longerThanItStays = 15_000;

/** A page with a conversation that was deleted a moment ago, and a clock that can be moved. */
async function deleteOne() {
  const id = await importMessages(site.url, "A lighthouse", [{ role: "user", content: "hello" }]);
  const page = await site.open("/");
  await page.clock.install();
  await page.getByRole("button", { name: "Actions for A lighthouse" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await note(page).waitFor();
  return { page, status: async () => (await fetch(`${site.url}/api/sessions/${id}`)).status };
}

it("a note stays while the pointer is on it, and so does what it can undo", async () => {
  const { page, status } = await deleteOne();
  await note(page).hover();
  await page.clock.fastForward(longerThanItStays);
  await page.clock.fastForward(longerThanItStays);
  expect(await note(page).count()).toBe(1);
  expect(await status()).toBe(200);
  await page.mouse.move(5, 5);
  await page.clock.runFor(100);
  await page.clock.fastForward(longerThanItStays);
  await note(page).waitFor({ state: "detached" });
  await eventually(status).toBe(404);
  await page.close();
});

it("a note stays while the focus is in it, and Undo works late", async () => {
  const { page, status } = await deleteOne();
  await page.mouse.move(5, 5);
  await page.getByRole("button", { name: "Undo" }).focus();
  await page.clock.fastForward(longerThanItStays);
  await page.clock.fastForward(longerThanItStays);
  await page.keyboard.press("Enter");
  await note(page).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Actions for A lighthouse" }).waitFor();
  expect(await status()).toBe(200);
  await page.close();
});
