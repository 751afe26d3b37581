import { afterAll, beforeAll, expect, it } from "vitest";
import { callApi, importMessages } from "./call-api.ts";
import { eventually, expectAccessible } from "./expect-page.ts";
import { openSite, type Site } from "./open-site.ts";
import { type StubbornModel, startStubbornModel } from "./start-stubborn-model.ts";
import { percentOf, replyDone, say } from "./talk.ts";

let site: Site;
let stranger: StubbornModel;
beforeAll(async () => {
  stranger = await startStubbornModel();
  site = await openSite(stranger.yaml);
});
afterAll(async () => {
  await site.close();
  stranger.close();
});

const twoWords = [
  { role: "user", content: "one" },
  { role: "assistant", content: "two" },
];

it("counts the words being written, is orange from 80 % and red from 95 %, and shows its rows", async () => {
  const id = await importMessages(
    site.url,
    "Meter",
    [
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
    ],
    "midfold-demo-2k",
  );
  const page = await site.open(`/s/${id}`);
  await page.getByRole("meter").waitFor({ state: "attached" });
  const before = await percentOf(page);
  const draft = page.getByRole("textbox", { name: "Message", exact: true });
  const button = page.getByRole("button", { name: /^Context usage/ });
  const colour = () => button.evaluate((element) => getComputedStyle(element).color);
  await draft.fill("many words ".repeat(320));
  await eventually(() => percentOf(page)).toBeGreaterThan(before + 30);
  expect(await button.textContent()).not.toMatch(/full/);
  await draft.fill("many words ".repeat(620));
  await button.getByText("Getting full").waitFor();
  expect(await percentOf(page)).toBeGreaterThanOrEqual(80);
  expect(await colour()).toBe("rgb(194, 65, 12)");
  await draft.fill("many words ".repeat(700));
  await button.getByText("Almost full").waitFor();
  expect(await percentOf(page)).toBeGreaterThanOrEqual(95);
  expect(await percentOf(page)).toBeLessThanOrEqual(100);
  expect(await colour()).toBe("rgb(185, 28, 28)");
  await draft.fill("many words ".repeat(800));
  await button.getByText("Over full").waitFor();
  expect(await percentOf(page)).toBeGreaterThan(100);
  expect(await colour()).toBe("rgb(185, 28, 28)");
  await button.click();
  const rows = page.getByRole("dialog", { name: "Context usage" });
  await rows.getByText("What you are writing").waitFor();
  await rows.getByText("Kept for the reply").waitFor();
  await rows.getByText(/Summarized by itself at/).waitFor();
  await expectAccessible(page);
  await rows.getByRole("switch").click();
  await rows.getByText("Automatic summaries are off here.").waitFor();
  await page.close();
});

it("says how many turns are left, and that number falls", async () => {
  const id = await importMessages(site.url, "Turns", twoWords, "midfold-demo-2k");
  const page = await site.open(`/s/${id}`);
  const button = page.getByRole("button", { name: /^Context usage/ });
  const left = async () => Number(/~(\d+) turns? left/.exec((await button.textContent()) ?? "")?.[1]);
  for (const words of ["First words. ", "Second words. "]) {
    await say(page, words.repeat(12));
    await page.getByText(`You said: “${words.trim()}`).first().waitFor();
    await replyDone(page);
  }
  await eventually(left).toBeGreaterThan(0);
  const before = await left();
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("many words ".repeat(300));
  await eventually(left).toBeLessThan(before);
  await button.click();
  await page.getByText(/Room for about \d+ more turns?\./).waitFor();
  await page.close();
});

it("shows counts where the window is not known, and takes its size", async () => {
  const id = await importMessages(site.url, "Unknown", twoWords, "stubborn-1");
  const page = await site.open(`/s/${id}`);
  const button = page.getByRole("button", { name: /^Context usage/ });
  await button.getByText(/^\d+ tokens$/).waitFor();
  expect(await button.textContent()).not.toMatch(/%|left/);
  expect(await page.getByRole("meter").getAttribute("aria-valuetext")).toMatch(/^\d+ tokens, window unknown/);
  await button.click();
  const rows = page.getByRole("dialog", { name: "Context usage" });
  await rows.getByText("This model’s window is not known, so there is no percentage.").waitFor();
  await rows.getByText("careful guess").waitFor();
  await expectAccessible(page);
  await rows.getByRole("spinbutton", { name: /^Window of stubborn-1/ }).fill("8192");
  await rows.getByRole("button", { name: "Set", exact: true }).click();
  await rows.getByText(/of the usable window/).waitFor();
  await eventually(() => button.textContent()).toMatch(/%/);
  const { models } = await callApi<{ models: { id: string; window: number }[] }>(site.url, "GET", "/models");
  expect(models.find((model) => model.id === "stubborn-1")?.window).toBe(8192);
  await page.close();
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
