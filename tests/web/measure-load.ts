import type { Page } from "playwright-core";
import type { Site } from "./open-site.ts";

export interface Load {
  /** Scripts and styles asked for before the page could be used, in kB as they came over the network. */
  readonly firstKb: number;
  /** The same with what was fetched until now. */
  readonly allKb: () => Promise<number>;
  readonly readyMs: number;
  readonly page: Page;
}

/** What a page loads until all of these elements are there; what it fetches ahead afterwards, when idle, was not needed for it. */
export async function measureLoad(site: Site, path: string, ready: readonly string[]): Promise<Load> {
  const page = await site.open("/healthz");
  await page.addInitScript(markReady, ready);
  await page.goto(`${site.url}${path}`);
  await page.waitForFunction(() => performance.getEntriesByName("ready").length > 0);
  const readyMs = await page.evaluate(() => performance.getEntriesByName("ready")[0]?.startTime ?? Number.NaN);
  return { firstKb: await fetchedKb(page, readyMs), allKb: () => fetchedKb(page, Number.MAX_VALUE), readyMs, page };
}

/** Notes in the page itself when it can be used: a look from outside would come later. */
function markReady(ready: readonly string[]): void {
  const look = () => {
    if (ready.some((selector) => document.querySelector(selector) === null)) return false;
    performance.mark("ready");
    return true;
  };
  const observer = new MutationObserver(() => {
    if (look()) observer.disconnect();
  });
  document.addEventListener("DOMContentLoaded", () => {
    if (!look()) observer.observe(document.documentElement, { childList: true, subtree: true });
  });
}

async function fetchedKb(page: Page, before: number): Promise<number> {
  const bytes = await page.evaluate(
    (end) =>
      performance
        .getEntriesByType("resource")
        .filter((one) => one.startTime < end && new URL(one.name).pathname.startsWith("/assets/"))
        .reduce((sum, one) => sum + (one as PerformanceResourceTiming).encodedBodySize, 0),
    before,
  );
  return bytes / 1000;
}
