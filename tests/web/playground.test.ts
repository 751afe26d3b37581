import { expect, it } from "vitest";
import { callApi, importMessages } from "./call-api.ts";
import { eventually, expectAccessible, expectNoSidewaysScroll } from "./expect-page.ts";
import { useSite } from "./open-site.ts";

const site = useSite();

const transcript = JSON.stringify(
  Array.from({ length: 40 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Turn ${at}: keep invoice ${7_000 + at} and the file /srv/data/part-${at}.csv. ${"The harbour was quiet that day. ".repeat(12)}`,
  })),
);

it("folds the long example three ways, side by side", async () => {
  const page = await site.open("/playground");
  await page.getByRole("button", { name: "Fold", exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Fold", exact: true }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Use the long example" }).click();
  await eventually(() => page.getByLabel("Transcript", { exact: true }).inputValue()).toContain('"midfold"');
  await page.getByRole("button", { name: "Fold", exact: true }).click();
  await page.getByRole("heading", { name: /32 messages, .* tokens, read as/ }).waitFor();
  expect(await page.getByRole("article").count()).toBe(3);
  for (const name of ["proxy", "chat", "agent"]) {
    const card = page.getByRole("article", { name });
    await card.getByText("folded", { exact: true }).first().waitFor();
    await card.getByRole("img", { name: `Plan of ${name}` }).waitFor();
    expect(await card.textContent()).toMatch(/\d+% less/);
    expect(await card.textContent()).toMatch(/\d+ ms|\d s/);
  }
  expect(await page.getByText("smallest", { exact: true }).count()).toBe(1);
  expect(await page.getByText("is not known").count()).toBe(0);
  await expectAccessible(page);
  // Reading the example leaves nothing behind.
  expect((await callApi<{ sessions: unknown[] }>(site.url, "GET", "/sessions")).sessions).toEqual([]);
  await page.close();
});

it("shows reasons, resulting messages and what was lost of a pasted transcript, within the budget", async () => {
  const page = await site.open("/playground");
  await page.getByLabel("Transcript", { exact: true }).fill(transcript);
  await page.getByLabel("Model", { exact: true }).fill("gpt-4o");
  await page.getByLabel("Input budget, tokens").fill("1500");
  await page.getByRole("button", { name: "Remove strategy 3" }).click();
  await page.getByLabel("Strategy 2", { exact: true }).selectOption("sandwich");
  await page.getByRole("button", { name: "Add a strategy" }).click();
  await page.getByRole("button", { name: "Add a strategy" }).click();
  expect(await page.getByRole("button", { name: "Add a strategy" }).count()).toBe(0);
  await page.getByLabel("Strategy 4", { exact: true }).selectOption("full-history");
  await page.getByRole("button", { name: "Fold", exact: true }).click();

  const proxy = page.getByRole("article", { name: "proxy" });
  await proxy.getByText("fold-middle").first().waitFor();
  const sizes = /([\d,]+) of ([\d,]+) tokens; budget 1,500/.exec((await proxy.textContent()) ?? "");
  expect(Number(sizes?.[1]?.replaceAll(",", ""))).toBeLessThanOrEqual(1_500);
  await proxy.getByRole("tab", { name: /^Messages/ }).click();
  await proxy.getByText("written by the fold").first().waitFor();
  await proxy.getByRole("tab", { name: /^Lost/ }).click();
  await proxy.getByText(/facts found by an extractor/).waitFor();
  await page.getByRole("article", { name: "full history" }).getByRole("alert").waitFor();
  await expectAccessible(page);
  await page.close();
});

it("offers to fold what fits, reads a dropped file, and says what is wrong with nonsense", async () => {
  const page = await site.open("/playground");
  await page.getByLabel("Transcript", { exact: true }).evaluate((area, text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "chat.json", { type: "application/json" }));
    area.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
  }, transcript);
  await eventually(() => page.getByLabel("Transcript", { exact: true }).inputValue()).toBe(transcript);
  await page.getByRole("button", { name: "Fold", exact: true }).click();
  await page.getByText("Nothing had to be folded").waitFor();
  await page.getByRole("button", { name: "Fold it anyway" }).click();
  await page.getByRole("article", { name: "chat" }).getByText("folded", { exact: true }).first().waitFor();

  await page.getByLabel("Transcript", { exact: true }).fill("{ nothing of use");
  await page.getByRole("button", { name: "Fold", exact: true }).click();
  expect(await page.getByRole("alert").first().textContent()).not.toBe("");
  await page.close();
});

it("takes a conversation held here", async () => {
  await importMessages(site.url, "Harbour talk", JSON.parse(transcript));
  const page = await site.open("/playground");
  await page.getByLabel("Use one of your conversations").selectOption({ label: "Harbour talk" });
  await eventually(() => page.getByLabel("Transcript", { exact: true }).inputValue()).toContain("invoice 7039");
  await page.close();
});

it("is good at 375 pixels, in the dark", async () => {
  const page = await site.open("/playground", { width: 375, height: 800, theme: "dark" });
  await page.getByRole("button", { name: "Use the long example" }).click();
  await eventually(() => page.getByLabel("Transcript", { exact: true }).inputValue()).toContain('"midfold"');
  await page.getByRole("button", { name: "Fold", exact: true }).click();
  await page.getByRole("article", { name: "agent" }).waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.close();
});

it("asked nobody else for anything", () => {
  expect(site.complaints.filter((line) => !line.includes("status of 4"))).toEqual([]);
});
