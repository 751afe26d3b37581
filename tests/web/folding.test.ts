import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi, loadExample } from "./call-api.ts";
import { eventually, expectAccessible } from "./expect-page.ts";
import { holdAnswers } from "./hold-answers.ts";
import { openSite, type Site } from "./open-site.ts";
import { type StubbornModel, startStubbornModel } from "./start-stubborn-model.ts";
import { percentOf, replyDone, say } from "./talk.ts";

let site: Site;
let summarizer: StubbornModel;
beforeAll(async () => {
  summarizer = await startStubbornModel();
  site = await openSite(summarizer.yaml);
});
afterAll(async () => {
  await site.close();
  summarizer.close();
});

const useStubborn = (sessionId: string) =>
  callApi(site.url, "PATCH", "/settings", { scope: `session:${sessionId}`, set: { summaryModel: "stubborn-1" } });
interface SummaryList {
  readonly summaries: readonly { readonly text: string; readonly messagesIncluded: number }[];
}
const newestSummary = async (sessionId: string) => {
  const { summaries } = await callApi<SummaryList>(site.url, "GET", `/sessions/${sessionId}/summaries`);
  if (summaries[0] === undefined) throw new Error("the session has no summary");
  return summaries[0];
};
/** Letters and numbers only: a page shows Markdown without its marks. */
const lettersOf = (text: string | null) => (text ?? "").replaceAll(/[^\p{L}\p{N}]+/gu, "");
/** What a page lacks that shows only the start of a summary. */
const endOf = (text: string) => lettersOf(text).slice(-60);
const summarize = (page: Page) => page.getByRole("button", { name: "Summarize conversation history" }).click();

describe("a conversation that folds by itself", () => {
  it("from an empty start to a fold, its note, its card and its undo", async () => {
    const page = await site.open("/");
    await page.getByRole("button", { name: "Load a long example" }).click();
    await page.getByRole("meter").waitFor({ state: "attached" });
    const full = await percentOf(page);
    expect(full).toBeGreaterThan(95);
    await page
      .getByText(full > 100 ? "Over full" : "Almost full")
      .first()
      .waitFor();

    await say(page, "Which date did we agree on?");
    const note = page.getByRole("region", { name: "Notifications" });
    await note.getByText(/Summarized \d+ messages/).waitFor();
    await note.getByText(/→ .* tokens/).waitFor();
    await page.getByText("You said: “Which date").waitFor();
    await eventually(() => percentOf(page)).toBeLessThan(full - 20);

    const bar = page.getByRole("region", { name: "Active summary" });
    const { text, messagesIncluded } = await newestSummary(new URL(page.url()).pathname.split("/")[2] ?? "");
    await bar.getByRole("button", { name: `Summary ${messagesIncluded} messages`, exact: true }).click();
    await bar.getByRole("heading", { name: "Context" }).waitFor();
    expect(lettersOf(await bar.textContent())).toContain(endOf(text));
    const top = async (name: string) => (await page.getByRole("region", { name, exact: true }).boundingBox())?.y;
    expect(await top("Active summary")).toBeLessThan((await top("Messages")) ?? 0);
    await bar.getByRole("button").click();

    await note.getByRole("button", { name: "View" }).click();
    const card = page
      .getByRole("region", { name: "Messages", exact: true })
      .getByRole("region", { name: `Summary of ${messagesIncluded} messages`, exact: true });
    const words = card.getByRole("region", { name: "Summary text" });
    await words.waitFor();
    expect(lettersOf(await words.textContent())).toContain(endOf(text));
    await card.getByText(`${messagesIncluded} messages summarized`).waitFor();
    await expectAccessible(page);
    const paint = (element: Element) => getComputedStyle(element).backgroundColor;
    // Without a colour of its own it would show the page's.
    const plain = ["rgba(0, 0, 0, 0)", await page.locator("body").evaluate(paint)];
    expect(plain).not.toContain(await card.evaluate(paint));
    const fold = card.getByRole("button", { name: /messages summarized/ });
    await fold.click();
    await words.waitFor({ state: "detached" });
    expect(await fold.getAttribute("aria-expanded")).toBe("false");
    await fold.click();
    await words.waitFor();

    await card.getByRole("tab", { name: /Original/ }).click();
    await card
      .getByRole("region", { name: "Summarized messages" })
      .getByText(/bookshop/)
      .first()
      .waitFor();
    await card.getByRole("tab", { name: "Diff" }).click();
    await card.getByText("From the messages to the summary").waitFor();
    await card.getByRole("tab", { name: "Details" }).click();
    await card.getByText("the built-in summarizer, no model").waitFor();
    await card.getByText(/facts? checked are still there/).waitFor();
    await expectAccessible(page);

    await card.getByRole("button", { name: "Undo" }).click();
    await card.waitFor({ state: "detached" });
    await eventually(() => percentOf(page)).toBeGreaterThan(95);
    await page.close();
  });

  it("the card's words lead to their source, can be edited, and versions can be switched", async () => {
    const id = await loadExample(site.url);
    await callApi(site.url, "POST", `/sessions/${id}/messages`, { text: "Which date?", stream: false });
    const page = await site.open(`/s/${id}#summary`);
    const card = page.getByRole("region", { name: /^Summary of/ });
    const source = card.getByRole("link").first();
    await source.waitFor();
    expect(await source.getAttribute("href")).toContain("#m-");

    await card.getByRole("button", { name: "Edit" }).click();
    await card.getByRole("textbox", { name: "Summary text" }).fill("Rewritten by hand: the date is the fourteenth.");
    await card.getByRole("button", { name: "Save as a new version" }).click();
    await card.getByText("Rewritten by hand").waitFor();
    await card.getByRole("tab", { name: "Diff" }).click();
    await card.locator("ins", { hasText: "Rewritten" }).waitFor();
    const versions = card.getByRole("combobox", { name: "Version" });
    await versions.selectOption({ index: (await versions.locator("option").count()) - 1 });
    await card.getByText("Rewritten by hand").waitFor({ state: "detached" });
    await card.getByRole("tab", { name: "Summary" }).click();
    await card.getByRole("link").first().click();
    await page.waitForURL(/#m-/);
    await page.getByRole("article").and(page.locator(".outline-accent")).waitFor();
    await page.close();
  });

  const sayWithStubborn = async (mode: StubbornModel["mode"], text: string) => {
    summarizer.mode = mode;
    const id = await loadExample(site.url);
    await useStubborn(id);
    const page = await site.open(`/s/${id}`);
    await page.getByRole("article").last().waitFor();
    await say(page, text);
    return { id, page, marker: page.getByRole("region", { name: "Summarizing" }) };
  };

  it("a failure says what was sent instead, and can be passed over", async () => {
    const { page, marker } = await sayWithStubborn("refuse", "And now?");
    await marker.getByText("The full history was sent instead.", { exact: false }).waitFor();
    await page.getByText("You said: “And now").waitFor();
    await expectAccessible(page);
    await marker.getByRole("button", { name: "Continue without" }).click();
    await marker.waitFor({ state: "detached" });
    await page.close();
  });

  it("a failed fold is put off for a while, says so, and can be tried again", async () => {
    const { id, page, marker } = await sayWithStubborn("refuse", "And now?");
    await page.getByText("You said: “And now").waitFor();
    await replyDone(page);
    await say(page, "And then?");
    await page.getByText("You said: “And then").waitFor();
    await replyDone(page);
    await marker.getByText(/it will be tried again later/).waitFor();
    expect(await marker.count()).toBe(1);
    await expectAccessible(page);
    await callApi(site.url, "PATCH", "/settings", { scope: `session:${id}`, reset: ["summaryModel"] });
    await marker.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("region", { name: "Active summary" }).waitFor();
    await marker.waitFor({ state: "detached" });
    await page.close();
  });

  it("the note's undo takes a fold back", async () => {
    const id = await loadExample(site.url);
    const page = await site.open(`/s/${id}`);
    await page.getByRole("article").last().waitFor();
    await say(page, "Which date?");
    const note = page.getByRole("region", { name: "Notifications" });
    await note.getByRole("button", { name: "Undo" }).click();
    await note.getByText("Undone", { exact: true }).waitFor();
    expect(await callApi(site.url, "GET", `/sessions/${id}/summaries`)).toMatchObject({ activeId: null });
    await eventually(() => percentOf(page)).toBeGreaterThan(95);
    await page.close();
  });

  it("the meter is right after an undo, also when the turn's own stream arrives later with its older figure", async () => {
    const id = await loadExample(site.url);
    const page = await site.open(`/s/${id}`);
    await page.getByRole("article").last().waitFor();
    const sent = await holdAnswers(page, ({ pathname }) => pathname.endsWith("/messages"));
    await say(page, "Which date?");
    const note = page.getByRole("region", { name: "Notifications" });
    const undo = note.getByRole("button", { name: "Undo" });
    await undo.waitFor();
    await sent.asked;
    await undo.click();
    await note.getByText("Undone", { exact: true }).waitFor();
    await eventually(() => percentOf(page)).toBeGreaterThan(95);
    sent.letGo();
    await replyDone(page);
    await eventually(() => percentOf(page)).toBeGreaterThan(95);
    await page.close();
  });

  it("one marker shows the work, and cancelling it sends the full history", async () => {
    const { page, marker } = await sayWithStubborn("hang", "Wait for it");
    await eventually(async () => {
      await page.getByRole("region", { name: "Messages" }).evaluate((element) => element.scrollBy(0, -300));
      return marker.count();
    }).toBe(1);
    await marker.getByRole("progressbar").waitFor();
    await marker.getByRole("button", { name: "Cancel" }).click();
    await marker.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Newest" }).click();
    await page.getByText("You said: “Wait for it").waitFor();
    await page.close();
  });

  it("no note when notifications are off", async () => {
    const id = await loadExample(site.url);
    await callApi(site.url, "PATCH", "/settings", { scope: `session:${id}`, set: { notifications: false } });
    const page = await site.open(`/s/${id}`);
    await page.getByRole("article").last().waitFor();
    await say(page, "Quietly, please.");
    await page.getByText("You said: “Quietly").waitFor();
    await eventually(() => percentOf(page)).toBeLessThan(95);
    expect(await page.getByText(/^Summarized \d+/).count()).toBe(0);
    await page.close();
  });
});

describe("summarizing by hand", () => {
  it("shows counts before any model call, moves the fold line, and shows what came of it", async () => {
    const id = await loadExample(site.url);
    const page = await site.open(`/s/${id}`);
    await page.getByRole("article").last().waitFor();
    await summarize(page);
    const dialog = page.getByRole("dialog", { name: "Summarize conversation history" });
    await dialog.getByRole("button", { name: "Summarize 32 messages" }).waitFor();
    await dialog.getByText(/→ about [\d,]+ tokens/).waitFor();
    await expectAccessible(page);
    const line = dialog.getByRole("slider", { name: /Fold line/ });
    await line.focus();
    for (let presses = 0; presses < 6; presses += 1) await line.press("ArrowLeft");
    await eventually(() => dialog.getByRole("button", { name: /^Summarize \d+/ }).textContent()).not.toContain("32");
    // By mouse as well.
    const box = await line.boundingBox();
    if (box === null) throw new Error("the fold line is not in view");
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.2, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    const toFold = async () =>
      Number(/\d+/.exec((await dialog.getByRole("button", { name: /^Summarize \d+/ }).textContent()) ?? "")?.[0]);
    await eventually(toFold).toBeLessThan(15);
    await dialog.getByLabel("Keep the newest tokens as they are").fill("500");
    await eventually(toFold).toBeGreaterThan(15);
    expect(await toFold()).toBeLessThan(32);
    await dialog.getByText("Cost", { exact: true }).waitFor();
    await dialog.getByLabel("Model that writes the summary").selectOption("midfold-demo");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await callApi(site.url, "GET", `/sessions/${id}/summaries`)).toMatchObject({ activeId: null });

    await page.getByRole("button", { name: "Conversation menu" }).click();
    await page.getByRole("menuitem", { name: "Summarize conversation history" }).click();
    await dialog.getByLabel("What it should keep in focus").fill("dates and prices");
    await dialog.getByRole("button", { name: "Summarize 32 messages" }).click();
    await dialog.getByText(/Summarized 32 messages: [\d,]+ → [\d,]+ tokens, \d+% less/).waitFor();
    const preview = (await dialog.locator("blockquote").textContent()) ?? "";
    expect(preview.length).toBeGreaterThan(50);
    expect(preview.length).toBeLessThanOrEqual(201);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "View summary" }).click();
    const card = page.getByRole("region", { name: "Summary of 32 messages" });
    const { text } = await newestSummary(id);
    await eventually(async () =>
      lettersOf(await card.getByRole("region", { name: "Summary text" }).textContent()),
    ).toContain(endOf(text));
    await card.getByRole("tab", { name: "Details" }).click();
    await page.getByText("dates and prices").waitFor();
    await page.close();
  });

  it("tells what the model's summary says and no message does, at once and in the summary", async () => {
    const id = await loadExample(site.url);
    await useStubborn(id);
    summarizer.mode = "answer";
    summarizer.words = "They planned the trip together. The locker at the station has the code 48213.";
    const page = await site.open(`/s/${id}`);
    await page.getByRole("article").last().waitFor();
    await summarize(page);
    const dialog = page.getByRole("dialog", { name: "Summarize conversation history" });
    await dialog.getByRole("button", { name: /^Summarize \d+/ }).click();
    await dialog.getByText("The summary says what is in none of the messages, and is marked so: 48213.").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "View summary" }).click();
    const card = page.getByRole("region", { name: /^Summary of \d+ messages/ });
    await card.getByText(/sentences? says? something that is not in the original messages/).waitFor();
    await card.locator("mark", { hasText: "48213 [not in the messages]" }).waitFor();
    summarizer.mode = "refuse";
    await page.close();
  });

  it("can be cancelled while it runs, and a failure changes nothing", async () => {
    const id = await loadExample(site.url);
    await useStubborn(id);
    const page = await site.open(`/s/${id}`);
    await page.getByRole("article").last().waitFor();
    summarizer.mode = "hang";
    await summarize(page);
    const dialog = page.getByRole("dialog", { name: "Summarize conversation history" });
    await dialog.getByRole("button", { name: /^Summarize \d+/ }).click();
    await dialog.getByRole("progressbar").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.getByText("Cancelled. Nothing was changed.").waitFor();
    summarizer.mode = "refuse";
    await dialog.getByRole("button", { name: /^Summarize \d+/ }).click();
    await dialog.getByText(/Your messages are as they were/).waitFor();
    await dialog.getByRole("button", { name: "Continue without" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await callApi(site.url, "GET", `/sessions/${id}/summaries`)).toMatchObject({ activeId: null });
    await page.close();
  });
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
