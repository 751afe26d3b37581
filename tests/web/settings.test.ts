import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { callApi, importMessages, loadExample } from "./call-api.ts";
import { eventually, expectAccessible, expectNoSidewaysScroll } from "./expect-page.ts";
import { useSite } from "./open-site.ts";

interface Settings {
  readonly values: Readonly<Record<string, { readonly value: unknown; readonly source: { readonly level: string } }>>;
}

const site = useSite("chat:\n  minTokens: 1500\n");

const row = (page: Page, name: string) => page.locator(`[data-setting="${name}"]`);
const stored = async (name: string, scope = "global") =>
  (await callApi<Settings>(site.url, "GET", `/settings?scope=${encodeURIComponent(scope)}`)).values[name];

it("saves each value as it is changed, says where it comes from, and inherits again", async () => {
  const page = await site.open("/settings");
  // Nothing is said where nothing differs.
  await row(page, "autoCompression")
    .getByText(/^set for/)
    .waitFor({ state: "detached" });
  await row(page, "minTokens").getByText("midfold.yaml", { exact: true }).waitFor();
  await expectAccessible(page);

  await page.getByRole("switch", { name: "Summarize automatically" }).click();
  await row(page, "autoCompression").getByText("set for all conversations").waitFor();
  await row(page, "autoCompression").getByText("otherwise on (default)").waitFor();
  expect((await stored("autoCompression"))?.value).toBe(false);
  await page.getByRole("button", { name: "Inherit again: Summarize automatically" }).click();
  // Nothing is said where nothing differs.
  await row(page, "autoCompression")
    .getByText(/^set for/)
    .waitFor({ state: "detached" });
  expect(await stored("autoCompression")).toMatchObject({ value: true, source: { level: "default" } });

  await page.getByRole("spinbutton", { name: "Threshold", exact: true }).fill("80");
  await page.keyboard.press("Enter");
  await row(page, "thresholdPercent").getByText("set for all conversations").waitFor();
  await page.getByText("would reach 26,214 of the 32,768 tokens").waitFor();
  await page.getByRole("slider", { name: "Threshold" }).focus();
  await page.keyboard.press("ArrowLeft");
  await eventually(async () => (await stored("thresholdPercent"))?.value).toBe(79);

  // Out of bounds is not saved, and said so.
  await page.getByLabel("Retention", { exact: true }).fill("-5");
  await page.keyboard.press("Enter");
  await page.getByText("Between 0 and 1,000,000. Not saved.").waitFor();
  expect((await stored("retentionTokens"))?.value).toBe(1_000);
  await page.getByLabel("Retention", { exact: true }).fill("1800");
  await page.getByLabel("Minimum", { exact: true }).fill("2500");
  await page.keyboard.press("Tab");
  await eventually(async () => (await stored("retentionTokens"))?.value).toBe(1_800);
  await eventually(async () => (await stored("minTokens"))?.value).toBe(2_500);
  await page.getByRole("switch", { name: "Notifications" }).click();
  await eventually(async () => (await stored("notifications"))?.value).toBe(false);
  await expectAccessible(page);
  await page.close();
});

it("chooses who writes summaries, in which style, with a prompt of one's own", async () => {
  const page = await site.open("/settings");
  await page.getByLabel("Summarization model").fill("midfold-demo");
  await page.keyboard.press("Enter");
  await eventually(async () => (await stored("summaryModel"))?.value).toBe("midfold-demo");
  await page.getByLabel("Style", { exact: true }).selectOption("concise");
  await eventually(async () => (await stored("summaryStyle"))?.value).toBe("concise");

  await page.getByText("Read the built-in prompt").click();
  await page.getByRole("button", { name: "Change it" }).click();
  const prompt = page.getByRole("textbox", { name: "My own prompt" });
  const builtIn = await prompt.inputValue();
  expect(builtIn.length).toBeGreaterThan(100);
  await page.getByRole("region", { name: "Variables" }).waitFor();
  expect(await page.getByRole("region", { name: "Variables" }).getByRole("term").count()).toBeGreaterThan(0);
  await prompt.fill(`${builtIn}\nMention the weather.`);
  await prompt.blur();
  await eventually(async () => (await stored("summaryPrompt"))?.value).toContain("Mention the weather.");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Reset to the general prompt" }).click();
  await eventually(async () => (await stored("summaryPrompt"))?.value).toBe(builtIn);
  await page.close();
});

it("sets a value for one conversation or one model only", async () => {
  const id = await importMessages(site.url, "Harbour talk", [{ role: "user", content: "hello" }]);
  const page = await site.open("/settings");
  await page.getByLabel("Settings for").selectOption(`session:${id}`);
  await eventually(() => page.url()).toContain("scope=session");
  await row(page, "thresholdPercent").getByText("set for all conversations").waitFor();
  await page.getByRole("switch", { name: "Summarize automatically" }).click();
  await row(page, "autoCompression").getByText("set for this conversation").waitFor();
  expect((await stored("autoCompression", `session:${id}`))?.value).toBe(false);
  expect((await stored("autoCompression"))?.value).toBe(true);

  await page.getByLabel("Settings for").selectOption("model:midfold-demo");
  await page.getByRole("spinbutton", { name: "Threshold", exact: true }).fill("60");
  await page.keyboard.press("Enter");
  await row(page, "thresholdPercent").getByText("set for model midfold-demo").waitFor();
  await row(page, "thresholdPercent").getByText("otherwise 79 (set for all conversations)").waitFor();
  await expectAccessible(page);
  expect(await stored("thresholdPercent", `session:${id}`)).toMatchObject({ value: 60, source: { level: "model" } });
  await page.close();
});

it("summarizes a conversation from its settings", async () => {
  const id = await loadExample(site.url);
  const page = await site.open(`/settings?scope=session:${id}`);
  await page.getByRole("button", { name: "Summarize conversation history" }).click();
  const dialog = page.getByRole("dialog", { name: "Summarize conversation history" });
  await dialog.waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Go to the conversation" }).click();
  await eventually(() => page.url()).toContain(`/s/${id}`);
  await page.close();
});

it("corrects a model's window, and takes the correction back", async () => {
  const page = await site.open("/settings");
  const field = page.getByLabel("Window of midfold-demo", { exact: true });
  await field.fill("16384");
  await field.press("Enter");
  const table = page.getByRole("region", { name: "Models table" });
  await table.getByText("window yours").waitFor();
  const { models } = await callApi<{ models: { id: string; window: number }[] }>(site.url, "GET", "/models");
  expect(models.find((model) => model.id === "midfold-demo")?.window).toBe(16_384);
  await page.getByRole("button", { name: "Inherit window of midfold-demo again" }).click();
  await eventually(() => field.inputValue()).toBe("32768");
  await page.getByLabel("Find a model").fill("gpt-4o-mini");
  await table.getByRole("rowheader", { name: /^gpt-4o-mini/ }).waitFor();
  await expectAccessible(page);
  await page.close();
});

it("makes client keys that are shown once, and revokes them", async () => {
  const page = await site.open("/settings");
  await page.getByLabel("Name of the new key").fill("laptop");
  await page.getByRole("button", { name: "Create a key" }).click();
  const key = (await page.locator("[data-new-key]").textContent()) ?? "";
  expect(key.length).toBeGreaterThan(20);
  await page.getByRole("button", { name: "Copy the key" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  await expectAccessible(page);
  await page.reload();
  await page.getByRole("button", { name: "Revoke the key “laptop”" }).waitFor();
  expect(await page.content()).not.toContain(key);
  await page.getByRole("button", { name: "Revoke the key “laptop”" }).click();
  await page.getByRole("dialog", { name: "Revoke this key?" }).getByRole("button", { name: "Revoke" }).click();
  await page.getByText(/^revoked /).waitFor();
  await page.close();
});

it("is good at 375 pixels, in the dark", async () => {
  const page = await site.open("/settings", { width: 375, height: 800, theme: "dark" });
  await page.getByRole("region", { name: "Client keys" }).waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.close();
});

it("asked nobody else for anything, and nothing went wrong on the way", () => {
  expect(site.complaints).toEqual([]);
});
