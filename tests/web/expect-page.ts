import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { slowness } from "./open-site.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** No violation of WCAG 2.2 A or AA, as far as a machine can tell. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const runner = (globalThis as unknown as { axe: { run: (options: object) => Promise<AxeResult> } }).axe;
    const { violations } = await runner.run({
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
      resultTypes: ["violations"],
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  });
  expect(found).toEqual([]);
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Nothing sticks out to the side: neither the page nor what scrolls up and down in it scrolls sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const wide = await page.evaluate(() => {
    const lists = document.querySelectorAll("main section[tabindex='0']:has(article), main .overflow-y-auto");
    return [document.documentElement, ...lists]
      .filter((element) => element.scrollWidth > element.clientWidth)
      .map((element) => element.getAttribute("aria-label") ?? element.className);
  });
  expect(wide).toEqual([]);
}

/** Asks until it is so; for what a page shows in its own time. */
export const eventually = <TValue>(read: () => TValue | Promise<TValue>) =>
  expect.poll(read, { timeout: slowness === 1 ? 20_000 : 120_000, interval: 100 });
