import type { Page } from "playwright-core";

export const composer = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

/** Writes a message and sends it. */
export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
}

/** Nothing is being written any more. */
export const replyDone = (page: Page) =>
  page.getByRole("button", { name: "Answer again" }).waitFor({ state: "attached" });

/** What the meter says, in percent. */
export const percentOf = async (page: Page): Promise<number> =>
  Number(/(\d+(?:\.\d+)?)%/.exec((await page.getByRole("meter").getAttribute("aria-valuetext")) ?? "")?.[1]);

/** A picture of one pixel, as base64. */
export const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
