import { expect, it } from "vitest";
import { callApi, importMessages } from "./call-api.ts";
import { eventually, expectAccessible, expectNoSidewaysScroll } from "./expect-page.ts";
import { useSite } from "./open-site.ts";
import { replyDone, say } from "./talk.ts";

const site = useSite();

interface SummaryList {
  readonly activeId: string | null;
}

it("a fact that only summarized messages hold is found when it is asked for, and shown wherever it was sent", async () => {
  const weather = Array.from(
    { length: 12 },
    (_, day) => `On day ${day} of the journey it will rain, then the sun shines.`,
  );
  const talk = ["The booking code of the rental car is KX-7781.", "Noted.", ...weather];
  const messages = talk.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
  const id = await importMessages(site.url, "The journey", messages);
  await callApi(site.url, "POST", `/sessions/${id}/folds`, {});
  const active = async () =>
    (await callApi<SummaryList>(site.url, "GET", `/sessions/${id}/summaries`)).activeId ?? undefined;
  await eventually(active).toBeDefined();
  // Whatever the summarizer kept: this one has lost the code.
  const path = `/sessions/${id}/summaries/${await active()}`;
  await callApi(site.url, "PATCH", path, { text: "They prepared a journey and talked about the weather." });

  const page = await site.open(`/s/${id}`, { width: 375, height: 800, theme: "dark" });
  await say(page, "Which booking code does the rental car have?");
  await replyDone(page);
  const reply = page.getByRole("article", { name: /^Assistant/ }).last();
  await reply.getByText("KX-7781").first().waitFor();
  await reply.getByRole("button", { name: /^Sent with your message: \d+ excerpts? of summarized messages/ }).click();
  await reply
    .getByRole("listitem")
    .filter({ hasText: "You: The booking code of the rental car is KX-7781." })
    .waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);

  // The next request has the same words at the same place, under a name of their own.
  await page.goto(new URL(`/s/${id}/view`, site.url).href);
  const excerpts = page.getByRole("listitem").filter({ hasText: "excerpts" });
  await excerpts.getByRole("button").click();
  await excerpts
    .getByText(/m1 user: The booking code/)
    .last()
    .waitFor();
  await page.goto(new URL(`/s/${id}/history`, site.url).href);
  await page.getByRole("button", { name: /^Sent with your message/ }).waitFor();
  expect(site.complaints).toEqual([]);
  await page.close();
});
