import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi, importMessages, loadExample } from "./call-api.ts";
import { eventually, expectAccessible } from "./expect-page.ts";
import { openSite, type Site } from "./open-site.ts";
import { type StubbornModel, startStubbornModel } from "./start-stubborn-model.ts";
import { composer } from "./talk.ts";

let site: Site;
let silent: StubbornModel;
beforeAll(async () => {
  silent = await startStubbornModel();
  silent.mode = "hang";
  site = await openSite(silent.yaml);
});
afterAll(async () => {
  await site.close();
  silent.close();
});

const stop = (page: Page) => page.getByRole("button", { name: "Stop", exact: true });
const send = async (page: Page, text: string) => {
  await composer(page).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
};
/** The stubborn model never says a word: whenever the stop comes, nothing was said before it. */
const short = (model: string) =>
  importMessages(
    site.url,
    "Short",
    [
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
    ],
    model,
  );

interface Stored {
  readonly messages: readonly { readonly role: string; readonly status: string; readonly text: string }[];
}

/** The words are there, the reply is not. */
const expectStopped = async (page: Page, sessionId: string, words: string) => {
  await page.getByText("Cut short: Stopped.").waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
  await page.getByText(words, { exact: true }).waitFor();
  const { messages } = await callApi<Stored>(site.url, "GET", `/sessions/${sessionId}/messages`);
  expect(messages.slice(-2)).toMatchObject([
    { role: "user", status: "complete", text: words },
    { role: "assistant", status: "interrupted", text: "" },
  ]);
};

describe("Stop, pressed at any moment after Send", () => {
  it("while the message is still on its way", async () => {
    const id = await short("stubborn-1");
    const page = await site.open(`/s/${id}`);
    await page.getByText("two", { exact: true }).waitFor();
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/messages$/, async (route) => {
      await gate;
      await route.continue();
    });
    await send(page, "A slow line.");
    await stop(page).click();
    // It says that it heard, and is not asked twice.
    expect(await page.getByRole("button", { name: "Stopping" }).isDisabled()).toBe(true);
    release();
    await expectStopped(page, id, "A slow line.");
    await page.close();
  });

  it("at once, by keyboard", async () => {
    const id = await short("stubborn-1");
    const page = await site.open(`/s/${id}`);
    await page.getByText("two", { exact: true }).waitFor();
    await composer(page).fill("Changed my mind.");
    await composer(page).press("Enter");
    await composer(page).press("Escape");
    await expectStopped(page, id, "Changed my mind.");
    await page.close();
  });

  it("before the model's first word; then the answer can be had again", async () => {
    const id = await short("stubborn-1");
    const page = await site.open(`/s/${id}`);
    await page.getByText("two", { exact: true }).waitFor();
    await send(page, "Anyone there?");
    await page.getByRole("img", { name: "Writing" }).waitFor();
    await stop(page).click();
    await expectStopped(page, id, "Anyone there?");
    await expectAccessible(page);
    await callApi(site.url, "PATCH", `/sessions/${id}`, { model: "midfold-demo" });
    await page.getByRole("button", { name: "Answer again" }).last().click();
    await page.getByText("You said: “Anyone there?").waitFor();
    await page.close();
  });

  it("while the conversation is being folded first: no summary, no reply", async () => {
    const id = await loadExample(site.url);
    await callApi(site.url, "PATCH", "/settings", { scope: `session:${id}`, set: { summaryModel: "stubborn-1" } });
    const page = await site.open(`/s/${id}`);
    await page.getByRole("article").last().waitFor();
    await send(page, "Fold, then answer.");
    await eventually(async () => {
      const { folds } = await callApi<{ folds: { status: string }[] }>(site.url, "GET", `/sessions/${id}/folds`);
      return folds[0]?.status;
    }).toBe("running");
    await stop(page).click();
    await expectStopped(page, id, "Fold, then answer.");
    expect(await page.getByRole("region", { name: "Summarizing" }).count()).toBe(0);
    expect(await callApi(site.url, "GET", `/sessions/${id}/summaries`)).toMatchObject({ activeId: null });
    await page.close();
  });

  it("from another window, which knows that a reply is being written", async () => {
    const id = await short("stubborn-1");
    const [writing, watching] = await Promise.all([site.open(`/s/${id}`), site.open(`/s/${id}`, { listening: true })]);
    for (const page of [writing, watching]) await page.getByText("two", { exact: true }).waitFor();
    await send(writing, "Said in one window.");
    await stop(watching).click();
    for (const page of [writing, watching]) {
      await expectStopped(page, id, "Said in one window.");
      await page.close();
    }
  });
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
