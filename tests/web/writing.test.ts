import { describe, expect, it } from "vitest";
import { callApi, importMessages, importTalk, loadExample } from "./call-api.ts";
import { eventually, expectAccessible } from "./expect-page.ts";
import { slowDown, slowness, useSite } from "./open-site.ts";
import { composer, replyDone, say } from "./talk.ts";

const site = useSite();

const sessionsOf = async () =>
  (await callApi<{ sessions: { id: string; title: string }[] }>(site.url, "GET", "/sessions")).sessions;

describe("words go where the writer looks", () => {
  it("a new conversation takes the words at once, and no letter of them is a command", async () => {
    const page = await site.open("/");
    await page.getByRole("button", { name: "New conversation" }).first().click();
    await page.getByText("Nothing said yet").waitFor();
    const address = page.url();
    await page.keyboard.type("hello there, see notes");
    expect(await composer(page).inputValue()).toBe("hello there, see notes");
    expect(page.url()).toBe(address);
    expect(await page.getByRole("dialog").count()).toBe(0);

    // Nothing has the focus: the words are still meant for the model.
    await composer(page).fill("");
    await composer(page).blur();
    await page.keyboard.type("hnsv");
    expect(await composer(page).inputValue()).toBe("hnsv");
    expect(page.url()).toBe(address);
    await page.close();
  });

  it("a second New conversation leads to the empty one that is there", async () => {
    const page = await site.open("/");
    await page.getByRole("button", { name: "New conversation" }).first().click();
    await page.getByText("Nothing said yet").waitFor();
    const first = page.url();
    await page.getByRole("link", { name: "Midfold", exact: true }).click();
    await page.getByRole("heading", { name: "Talk as long as you like" }).waitFor();
    await page.getByRole("button", { name: "New conversation" }).first().click();
    await page.getByText("Nothing said yet").waitFor();
    expect(page.url()).toBe(first);
    expect((await sessionsOf()).filter(({ title }) => title === "New conversation")).toHaveLength(1);
    await page.close();
  });

  it("Ctrl+K finds conversations and commands, by keyboard alone", async () => {
    const id = await importMessages(site.url, "The orchard in spring", [{ role: "user", content: "hello" }]);
    const page = await site.open("/");
    await page.getByRole("heading", { name: "Talk as long as you like" }).waitFor();
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Go to or do" });
    await palette.getByRole("combobox").waitFor();
    await page.keyboard.type("orchard");
    const found = palette.getByRole("option", { name: /orchard/ });
    await found.waitFor();
    await expectAccessible(page);
    // Commands that match are there at once, conversations a moment later; the arrow keys choose between them.
    for (let step = 0; step < 8 && (await found.first().getAttribute("aria-selected")) !== "true"; step++) {
      await page.keyboard.press("ArrowDown");
    }
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/s/${id}`));
    await palette.waitFor({ state: "detached" });
    // Keys pressed before the conversation is there belong to the page before it.
    await page.getByRole("textbox", { name: "Message", exact: true }).waitFor();
    await page.keyboard.press("Control+k");
    await palette.getByRole("combobox").waitFor();
    // Enter at once, on a slow machine: it belongs to the words, not to the list as it was before them.
    await slowDown(page, 20);
    await page.keyboard.type("summarize");
    await page.keyboard.press("Enter");
    await slowDown(page, slowness);
    await page.getByRole("dialog", { name: "Summarize conversation history" }).waitFor();
    await page.close();
  });

  it("what is sent is in sight, however far up the reader was", async () => {
    const id = await importTalk(site.url, "Long talk", 60, (i) => `Line ${i}. `.repeat(30));
    const page = await site.open(`/s/${id}`);
    await page.getByText("Line 59.").first().waitFor();
    // The list goes to its end once more when it has measured itself.
    await eventually(async () => {
      await page.getByRole("region", { name: "Messages" }).evaluate((element) => element.scrollTo(0, 0));
      return page.getByText("Line 0.").first().isVisible();
    }).toBe(true);
    await say(page, "Can you see me?");
    const question = page.getByRole("article").filter({ hasText: "Can you see me?" }).first();
    await question.waitFor();
    await replyDone(page);
    await eventually(async () => {
      const box = await page.getByText("You said: “Can you see me?").first().boundingBox();
      return box !== null && box.y > 0 && box.y < 850;
    }).toBe(true);
    await page.close();
  });

  it("text that runs from right to left does so", async () => {
    const id = await importMessages(site.url, "مرحبا", [
      { role: "user", content: "مرحبا 123, hello" },
      { role: "assistant", content: "أهلا **وسهلا** world" },
    ]);
    const page = await site.open(`/s/${id}`);
    const direction = (text: string) =>
      page
        .getByText(text)
        .first()
        .evaluate((element) => getComputedStyle(element.closest("p") ?? element).direction);
    await page.getByText("مرحبا 123").waitFor();
    expect(await direction("مرحبا 123")).toBe("rtl");
    expect(await direction("أهلا")).toBe("rtl");
    await composer(page).fill("شكرا");
    expect(await composer(page).evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
    await page.close();
  });
});

describe("pages", () => {
  it("are titled by what they show, and survive a number as search words", async () => {
    const id = await importMessages(site.url, "Tide tables", [{ role: "user", content: "High at 12 today" }]);
    const page = await site.open(`/s/${id}`);
    await eventually(() => page.title()).toBe("Tide tables · Midfold");
    await page.goto(`${site.url}/s/${id}/history?q=12`);
    await page.getByText("1 hit", { exact: true }).waitFor();
    await eventually(() => page.title()).toBe("Full history · Tide tables · Midfold");
    await page.getByRole("link", { name: "Settings" }).click();
    await eventually(() => page.title()).toBe("Settings · Midfold");
    await page.close();
  });

  it("a dialog begins at its first field, not at Close", async () => {
    const id = await loadExample(site.url);
    const page = await site.open(`/s/${id}`);
    await page.getByRole("button", { name: "Conversation menu" }).click();
    await page.getByRole("menuitem", { name: "Rename and tag" }).click();
    const title = page.getByRole("textbox", { name: "Title" });
    await title.waitFor();
    expect(await title.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("Escape");
    await page.close();
  });

  it("a setting that cannot be is refused with a reason, and stays to be corrected", async () => {
    const page = await site.open("/settings");
    const field = page.getByRole("spinbutton", { name: "Threshold", exact: true });
    await field.fill("500");
    await field.press("Enter");
    await page.getByText("Between 10 and 100. Not saved.").waitFor();
    expect(await field.inputValue()).toBe("500");
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    await expectAccessible(page);
    await field.fill("90");
    await field.press("Enter");
    await page.getByText("Between 10 and 100. Not saved.").waitFor({ state: "detached" });
    await page.close();
  });

  it("every conversation of an export comes in, and what could not be read is told", async () => {
    const conversation = (title: string, words: string) => ({
      title,
      create_time: 1_700_000_000,
      current_node: "b",
      mapping: {
        a: { id: "a", parent: null, children: ["b"], message: null },
        b: {
          id: "b",
          parent: "a",
          children: [],
          message: {
            author: { role: "user" },
            create_time: 1_700_000_001,
            content: { content_type: "text", parts: [words] },
          },
        },
      },
    });
    const page = await site.open("/");
    await page.getByLabel("Transcript file").setInputFiles({
      name: "conversations.json",
      mimeType: "application/json",
      buffer: Buffer.from(
        JSON.stringify([
          conversation("Bread", "How long does it rise?"),
          conversation("Bees", "When do they swarm?"),
          conversation("Nothing", ""),
        ]),
      ),
    });
    await page.getByText("Imported 2 conversations").waitFor();
    await page.getByText(/“Nothing”/).waitFor();
    await eventually(async () => (await sessionsOf()).map(({ title }) => title)).toEqual(
      expect.arrayContaining(["Bread", "Bees"]),
    );
    await page.close();
  });
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
