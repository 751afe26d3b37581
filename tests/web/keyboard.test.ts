import { expect, it } from "vitest";
import { loadExample } from "./call-api.ts";
import { eventually } from "./expect-page.ts";
import { useSite } from "./open-site.ts";
import { composer } from "./talk.ts";

const site = useSite();

it("goes everywhere by keyboard, and leaves keys alone where words are written", async () => {
  const id = await loadExample(site.url);
  const page = await site.open(`/s/${id}`);
  await page.getByRole("article").last().waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.id);

  await composer(page).blur();
  await page.keyboard.press("/");
  expect(await focused()).toBe("composer");
  await page.keyboard.type("shvn?");
  expect(await composer(page).inputValue()).toBe("shvn?");
  await composer(page).fill("");

  // With a modifier they are commands, while writing too.
  await page.keyboard.press("Alt+s");
  const dialog = page.getByRole("dialog", { name: "Summarize conversation history" });
  await dialog.getByRole("button", { name: /^Summarize \d+/ }).waitFor();
  // Behind a dialog the page rests.
  await dialog.getByRole("button", { name: "Cancel" }).focus();
  for (const key of ["Alt+h", "Alt+v", "Control+k", "?"]) await page.keyboard.press(key);
  expect(new URL(page.url()).pathname).toBe(`/s/${id}`);
  expect(await page.getByRole("dialog").count()).toBe(1);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });

  await page.keyboard.press("Alt+h");
  await page.waitForURL(/\/history$/);
  await page.getByRole("region", { name: "Full history" }).waitFor();
  await page.keyboard.press("/");
  expect(await focused()).toBe("page-search");
  await page.getByRole("searchbox", { name: "Search everything ever said" }).blur();
  await page.keyboard.press("Alt+v");
  await page.waitForURL(/\/view$/);
  await page.keyboard.press("Control+Shift+O");
  await page.getByText("Nothing said yet").waitFor();
  expect(await focused()).toBe("composer");
  await page.close();
});

it("reaches every action of a message with the Tab key, and shows what has the focus", async () => {
  const id = await loadExample(site.url);
  const page = await site.open(`/s/${id}`);
  const last = page.getByRole("article").last();
  await last.waitFor();
  await last.getByRole("button", { name: "Copy message" }).focus();
  const names: (string | null)[] = [];
  for (let presses = 0; presses < 3; presses += 1) {
    const now = page.locator(":focus");
    names.push(await now.getAttribute("aria-label"));
    const opacity = () => now.evaluate((element) => getComputedStyle(element.parentElement as Element).opacity);
    await eventually(opacity).toBe("1");
    await page.keyboard.press("Tab");
  }
  expect(names).toEqual(["Copy message", "Take out of the conversation", "Answer again"]);
  await page.keyboard.press("Shift+Tab");
  const outline = await page.locator(":focus").evaluate((element) => getComputedStyle(element).outlineStyle);
  expect(outline).not.toBe("none");
  await page.close();
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
