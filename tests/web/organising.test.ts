import { expect, it } from "vitest";
import { callApi, importMessages, importTalk } from "./call-api.ts";
import { eventually, expectAccessible } from "./expect-page.ts";
import { holdAnswers } from "./hold-answers.ts";
import { useSite } from "./open-site.ts";
import { replyDone, say } from "./talk.ts";

const site = useSite();

it("conversations stand by date, can be pinned, tagged, archived and fetched back", async () => {
  for (const title of ["Bread", "Bees"]) await importMessages(site.url, title, [{ role: "user", content: "hello" }]);
  const page = await site.open("/");
  const list = page.getByRole("navigation", { name: "Conversations" });
  /** The conversations of the list in order, each after the name of its group. */
  const order = () =>
    list.locator("ul:first-of-type").first().locator("h2, li > a > span:first-child").allTextContents();
  await eventually(order).toEqual(["Today", "Bees", "Bread"]);
  const act = async (title: string, item: string) => {
    await page.getByRole("button", { name: `Actions for ${title}` }).click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  };
  await act("Bread", "Pin");
  await eventually(order).toEqual(["Pinned", "Bread", "Today", "Bees"]);
  await act("Bread", "Rename and tag");
  await page.getByLabel("Tags, with commas between them").fill("kitchen, slow");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "kitchen" }).click();
  await list.getByRole("link", { name: /^Bees/ }).waitFor({ state: "detached" });
  await expectAccessible(page);
  await page.getByRole("button", { name: "kitchen" }).click();
  await act("Bees", "Archive");
  await list.getByRole("link", { name: /^Bees/ }).waitFor({ state: "detached" });
  await list.getByRole("button", { name: "Archived" }).click();
  await list.getByRole("link", { name: /^Bees/ }).waitFor();
  await act("Bees", "Take out of the archive");
  await list.getByRole("button", { name: "Back to all conversations" }).click();
  await eventually(order).toEqual(["Pinned", "Bread", "Today", "Bees"]);

  // The list changes while a menu or a dialog of one of its rows is open: both stay.
  const held = await holdAnswers(
    page,
    ({ pathname, search }) => pathname === "/api/sessions" && search.includes("bee"),
  );
  await page.getByRole("searchbox", { name: "Find a conversation" }).fill("bee");
  await held.asked;
  await page.getByRole("button", { name: "Actions for Bees" }).click();
  const rename = page.getByRole("menuitem", { name: "Rename and tag" });
  await rename.waitFor();
  held.letGo();
  await eventually(order).toEqual(["Bees"]);
  await rename.click();
  await page.getByRole("textbox", { name: "Title" }).fill("Bumblebees");
  await page.getByRole("searchbox", { name: "Find a conversation", includeHidden: true }).evaluate(clear);
  await eventually(order).toContain("Pinned");
  await page.getByRole("button", { name: "Save" }).click();
  await eventually(order).toEqual(["Pinned", "Bread", "Today", "Bumblebees"]);
  await page.close();
});

/** Empties a field that a dialog is in front of. */
function clear(field: HTMLElement | SVGElement): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, "");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

it("answers given again stay within reach, and one can go to the first message and to branches", async () => {
  const id = await importTalk(site.url, "Versions", 240, (i) => `Line ${i}. `.repeat(8));
  const page = await site.open(`/s/${id}`);
  await page.getByText("Line 239.").first().waitFor();
  await say(page, "Tell me more.");
  await replyDone(page);
  expect(await page.getByRole("status", { name: "Answer", exact: true }).count()).toBe(0);
  await page.getByRole("button", { name: "Answer again" }).click();
  const place = page.getByRole("status", { name: "Answer", exact: true });
  await place.getByText("2/2").waitFor();
  await page.getByRole("button", { name: "Previous answer" }).click();
  await place.getByText("1/2").waitFor();
  // The one that is shown is the one that counts.
  const { messages } = await callApi<{ messages: { role: string; visibility: string }[] }>(
    site.url,
    "GET",
    `/sessions/${id}/messages?hidden=true&limit=3`,
  );
  expect(messages.map(({ role, visibility }) => [role, visibility])).toEqual([
    ["user", "visible"],
    ["assistant", "visible"],
    ["assistant", "hidden"],
  ]);

  // Also once the conversation has gone on.
  await say(page, "And now?");
  await page.getByText("You said: “And now?").waitFor();
  await place.getByText("1/2").waitFor();
  await page.getByRole("button", { name: "Next answer" }).click();
  await place.getByText("2/2").waitFor();

  await page.getByRole("region", { name: "Messages" }).evaluate((element) => element.scrollBy(0, -4000));
  await page.getByRole("button", { name: "First" }).click();
  await page.getByText("Line 0.").first().waitFor();
  const branch = await callApi<{ id: string }>(site.url, "POST", `/sessions/${id}/branch`, {
    messageId: (messages[0] as unknown as { id: string }).id,
    title: "Another way",
  });
  await page.getByRole("button", { name: "Conversation menu" }).click();
  await page.getByRole("menuitem", { name: "Branch: Another way" }).click();
  await page.waitForURL(new RegExp(branch.id));
  await page.close();
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
