import type { Page } from "playwright-core";

/** Answers of the server that are read at once and reach the page only when they are let go. */
export async function holdAnswers(page: Page, wanted: (url: URL) => boolean) {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route(wanted, async (route) => {
    const response = await route.fetch();
    asked.resolve();
    await held.promise;
    await route.fulfill({ response });
  });
  return { asked: asked.promise, letGo: () => held.resolve() };
}
