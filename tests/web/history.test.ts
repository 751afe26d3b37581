import { describe, expect, it } from "vitest";
import { callApi, loadExample } from "./call-api.ts";
import { eventually, expectAccessible, expectNoSidewaysScroll } from "./expect-page.ts";
import { holdAnswers } from "./hold-answers.ts";
import { useSite } from "./open-site.ts";

const site = useSite();

describe("everything ever said, and what the model sees of it", () => {
  it("marks what is not in view, searches with a counter, and links to each message", async () => {
    const id = await loadExample(site.url);
    await callApi(site.url, "POST", `/sessions/${id}/messages`, { text: "Which date?", stream: false });
    const page = await site.open(`/s/${id}/history`);
    await page.getByText(/are not in the model’s view; it sees a summary instead/).waitFor();
    await expectAccessible(page);
    await page.getByRole("searchbox", { name: "Search everything ever said" }).fill("invoices");
    const hits = page.getByRole("list", { name: "Hits" });
    await hits.getByRole("button").first().waitFor();
    const places = await hits.getByText(/folded|in the model’s view/).count();
    expect(places).toBe(await hits.getByRole("listitem").count());
    await page.keyboard.press("Enter");
    await page.getByText(/^1 of \d+ hits?$/).waitFor();
    await page.waitForURL(/#m-/);
    expect(page.url()).toContain("q=invoices");
    await page.locator(".outline-accent").waitFor();
    await expectAccessible(page);
    const deep = page.url();
    await page.goto("about:blank");
    await page.goto(deep);
    await page.locator(".outline-accent").waitFor();
    await page.close();
  });

  it("on a slow page no typed letter is lost, and Enter means the words as they are", async () => {
    const id = await loadExample(site.url);
    const page = await site.open(`/s/${id}/history?q=invoices`);
    await page.getByRole("list", { name: "Hits" }).getByRole("button").first().waitFor();
    await page.getByRole("searchbox", { name: "Search everything ever said" }).fill("");
    // Letters that come before the address has followed, as on a busy machine.
    await page.getByRole("searchbox", { name: "Search everything ever said" }).evaluate((field: HTMLInputElement) => {
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
      for (const letter of "newsletter") {
        set?.call(field, field.value + letter);
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
    });
    await eventually(() => new URL(page.url()).searchParams.get("q")).toBe("newsletter");
    expect(await page.getByRole("searchbox", { name: "Search everything ever said" }).inputValue()).toBe("newsletter");

    const held = await holdAnswers(page, ({ search }) => search.includes("q=price"));
    await page.getByRole("searchbox", { name: "Search everything ever said" }).fill("price");
    await held.asked;
    await page.keyboard.press("Enter");
    held.letGo();
    await page.waitForURL(/q=price#m-/);
    const { hits } = await callApi<{ hits: { messageId: string }[] }>(
      site.url,
      "GET",
      `/sessions/${id}/search?q=price`,
    );
    expect(page.url()).toContain(`#m-${hits[0]?.messageId}`);
    await page.close();
  });

  it("shows the next request message by message, the raw body, and past turns", async () => {
    const id = await loadExample(site.url);
    await callApi(site.url, "POST", `/sessions/${id}/messages`, { text: "Which date?", stream: false });
    await callApi(site.url, "POST", `/sessions/${id}/messages`, { text: "And which price?", stream: false });
    const page = await site.open(`/s/${id}/view`);
    await page.getByText(/The next request: .* tokens/).waitFor();
    await page.getByText("And which price?").first().waitFor();
    await expectAccessible(page);
    await page.getByRole("tab", { name: "Raw request" }).click();
    await page.getByText('"messages"').waitFor();
    await page.getByRole("tab", { name: /^Messages/ }).click();
    await page.getByRole("slider").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.waitForURL(/turn=/);
    await page.getByText(/^Showing turn 1 of 2/).waitFor();
    await eventually(() => page.getByText("And which price?").count()).toBe(0);
    await page.close();
  });

  it("all of it fits a small dark screen", async () => {
    const id = await loadExample(site.url);
    await callApi(site.url, "POST", `/sessions/${id}/messages`, { text: "Which date?", stream: false });
    for (const [path, sign] of [
      [`/s/${id}#summary`, /^Summary$/],
      [`/s/${id}/history?q=date`, /\d+ hits?$/],
      [`/s/${id}/view`, /^The next request/],
    ] as const) {
      const page = await site.open(path, { width: 375, height: 720, theme: "dark" });
      await page.getByText(sign).first().waitFor();
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      await page.context().close();
    }
  });
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
