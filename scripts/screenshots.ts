// Pictures of every page at two widths in both themes, for the README: npm run screenshots
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { buildSite } from "../tests/web/build-site.ts";
import { callApi, loadExample } from "../tests/web/call-api.ts";
import { openSite } from "../tests/web/open-site.ts";
import { sendConversation } from "../tests/web/send-conversation.ts";

const folder = fileURLToPath(new URL("../docs/img", import.meta.url));
const looks = [
  { width: 1440, height: 900, theme: "light" },
  { width: 1440, height: 900, theme: "dark" },
  { width: 375, height: 740, theme: "light" },
  { width: 375, height: 740, theme: "dark" },
] as const;

interface Shot {
  readonly name: string;
  readonly path: string;
  /** Brings the page into the state to be shown. */
  readonly arrange?: (page: Page) => Promise<unknown>;
}

mkdirSync(folder, { recursive: true });
buildSite();
const site = await openSite();
try {
  const folded = await loadExample(site.url);
  const fresh = await loadExample(site.url);
  await callApi(site.url, "POST", `/sessions/${folded}/messages`, {
    text: "Which date did we agree on?",
    stream: false,
  });
  await sendConversation(site.url, 14);
  const shots: readonly Shot[] = [
    { name: "home", path: "/", arrange: (page) => page.getByText("Talk as long as you like").waitFor() },
    {
      name: "chat",
      path: `/s/${folded}#summary`,
      arrange: (page) => page.getByRole("tab", { name: "Details" }).waitFor(),
    },
    {
      name: "meter",
      path: `/s/${fresh}`,
      arrange: async (page) => {
        await page.getByRole("button", { name: /^Context usage/ }).click();
        await page.getByText("Kept for the reply").waitFor();
      },
    },
    {
      name: "summarize",
      path: `/s/${fresh}`,
      arrange: async (page) => {
        await page.getByRole("button", { name: "Summarize conversation history" }).click();
        await page.getByRole("button", { name: /^Summarize \d+/ }).waitFor();
      },
    },
    {
      name: "history",
      path: `/s/${folded}/history?q=invoices`,
      arrange: (page) => page.getByRole("list", { name: "Hits" }).getByRole("button").first().click(),
    },
    { name: "view", path: `/s/${folded}/view`, arrange: (page) => page.getByText(/The next request/).waitFor() },
    { name: "providers", path: "/providers", arrange: (page) => page.getByText("Add a provider").waitFor() },
    { name: "console", path: "/console" },
    { name: "playground", path: "/playground" },
    { name: "settings", path: "/settings" },
  ];
  const only = process.argv.slice(2);
  for (const { name, path, arrange } of shots) {
    if (only.length > 0 && !only.includes(name)) continue;
    for (const look of looks) {
      const page = await site.open(path, look);
      await arrange?.(page);
      await page.waitForTimeout(700);
      await page.screenshot({ path: `${folder}/${name}-${look.width}-${look.theme}.png` });
      await page.context().close();
    }
    console.log(name);
  }
  if (site.complaints.length > 0) throw new Error(site.complaints.join("\n"));
} finally {
  await site.close();
  await site.browser.close();
}
