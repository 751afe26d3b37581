import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { callApi, importMessages } from "./call-api.ts";
import { eventually, expectAccessible } from "./expect-page.ts";
import { useSite } from "./open-site.ts";
import { composer, pixel, replyDone, say } from "./talk.ts";

const site = useSite();

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const article = (page: Page, words: string) => page.getByRole("article").filter({ hasText: words });

it("copies a message as it was written, and code alone", async () => {
  const reply = "Use **this**:\n\n```ts\nconst answer = 42;\n```";
  const id = await importMessages(site.url, "Copy", [
    { role: "user", content: "How?" },
    { role: "assistant", content: reply },
  ]);
  const page = await site.open(`/s/${id}`);
  await article(page, "Use this").hover();
  await article(page, "Use this").getByRole("button", { name: "Copy message" }).click();
  await eventually(() => clipboard(page)).toBe(reply);
  await page.getByRole("button", { name: "Copy code" }).click();
  await eventually(() => clipboard(page)).toBe("const answer = 42;");
  await page.close();
});

it("a second click on Answer again, before the page shows that it writes, asks for nothing more", async () => {
  const id = await importMessages(site.url, "Twice", [
    { role: "user", content: "hello" },
    { role: "assistant", content: "Hello to you." },
  ]);
  const page = await site.open(`/s/${id}`);
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/retry")) asked.push(request.url());
  });
  await page.getByRole("button", { name: "Answer again" }).evaluate((button: HTMLElement) => {
    button.click();
    button.click();
  });
  await page.getByRole("status", { name: "Answer", exact: true }).getByText("2/2").waitFor();
  await replyDone(page);
  expect(asked).toHaveLength(1);
  await page.close();
});

it("of a long pasted text the beginning is shown, and the rest on demand", async () => {
  const text = `First line.\n${"a line of the log file\n".repeat(4_000)}Last line.`;
  const id = await importMessages(site.url, "Pasted", [{ role: "user", content: text }]);
  const page = await site.open(`/s/${id}`);
  await page.getByText("First line.").waitFor();
  expect(await page.getByText("Last line.").count()).toBe(0);
  await page.getByRole("button", { name: `Show all ${text.length.toLocaleString("en")} characters` }).click();
  await page.getByText("Last line.").waitFor();
  await page.close();
});

it("sends pictures and files that were attached or pasted", async () => {
  const id = await importMessages(site.url, "Attach", [{ role: "user", content: "hello" }]);
  const page = await site.open(`/s/${id}`);
  await page.getByText("hello", { exact: true }).waitFor();
  await page.getByLabel("Files to attach").setInputFiles([
    { name: "dot.png", mimeType: "image/png", buffer: Buffer.from(pixel, "base64") },
    { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("The tide is high.") },
    { name: "wrong.txt", mimeType: "text/plain", buffer: Buffer.from("not this") },
  ]);
  await page.getByRole("button", { name: "Remove wrong.txt" }).click();
  await composer(page).evaluate((field, data) => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    transfer.items.add(new File([bytes], "pasted.png", { type: "image/png" }));
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true }));
  }, pixel);
  await page.getByText("pasted.png").waitFor();
  await expectAccessible(page);
  await say(page, "What is on these?");
  await eventually(() => page.getByRole("img", { name: "Attached" }).count()).toBe(2);
  await page.getByRole("button", { name: /^notes\.txt/ }).click();
  await page.getByText("The tide is high.").waitFor();
  await replyDone(page);
  expect(await page.getByText("wrong.txt").count()).toBe(0);
  const { messages } = await callApi<{ messages: { parts: { type: string }[] }[] }>(
    site.url,
    "GET",
    `/sessions/${id}/messages`,
  );
  expect(messages[1]?.parts.map(({ type }) => type).sort()).toEqual(["file", "image", "image", "text"]);

  // Said differently, in a branch, with the same things attached.
  await article(page, "What is on these?").first().hover();
  await page.getByRole("button", { name: "Edit in a new branch" }).last().click();
  await page.getByRole("textbox", { name: "Edited message" }).fill("Describe them.");
  await page.getByRole("button", { name: "Send in a new branch" }).click();
  await page.waitForURL((url) => !url.pathname.includes(id));
  await article(page, "Describe them.").first().waitFor();
  await eventually(() => page.getByRole("img", { name: "Attached" }).count()).toBe(2);
  await replyDone(page);
  await page.close();
});

it("answers again: the new reply takes the place of the old one, which stays in the full history", async () => {
  const id = await importMessages(site.url, "Again", [
    { role: "user", content: "What do you say?" },
    { role: "assistant", content: "An answer nobody liked." },
  ]);
  const page = await site.open(`/s/${id}`);
  await article(page, "An answer nobody liked.").hover();
  await page.getByRole("button", { name: "Answer again" }).click();
  await page.getByText("You said: “What do you say?").waitFor();
  await replyDone(page);
  expect(await article(page, "An answer nobody liked.").count()).toBe(0);
  expect(await page.getByRole("article").count()).toBe(2);

  await page.getByRole("link", { name: "Full history" }).click();
  await article(page, "An answer nobody liked.").waitFor();
  await page.getByText("replaced or taken out").waitFor();
  await expectAccessible(page);
  await page.close();
});

it("takes a message out of the model's view, and brings it back", async () => {
  const id = await importMessages(site.url, "Out", [
    { role: "user", content: "My password is swordfish." },
    { role: "assistant", content: "I will forget it." },
    { role: "user", content: "Good." },
    { role: "assistant", content: "What else?" },
  ]);
  const seen = async () =>
    JSON.stringify((await callApi<{ messages: unknown }>(site.url, "GET", `/sessions/${id}/model-view`)).messages);
  const page = await site.open(`/s/${id}`);
  const secret = article(page, "swordfish");
  const takeOut = async () => {
    await secret.hover();
    await secret.getByRole("button", { name: "Take out of the conversation" }).click();
    await secret.waitFor({ state: "detached" });
  };
  await takeOut();
  expect(await seen()).not.toContain("swordfish");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Undo" }).click();
  await secret.waitFor();
  expect(await page.getByRole("article").first().textContent()).toContain("swordfish");
  expect(await seen()).toContain("swordfish");

  await takeOut();
  await page.goto(`${site.url}/s/${id}/history`);
  await secret.waitFor();
  await page.getByRole("button", { name: "Bring back" }).click();
  await page.getByText("replaced or taken out").waitFor({ state: "detached" });
  expect(await seen()).toContain("swordfish");
  await page.close();
});

it("says when a link leads to a message that is not there", async () => {
  const id = await importMessages(site.url, "Links", [{ role: "user", content: "hello" }]);
  const page = await site.open(`/s/${id}`);
  await page.getByText("hello", { exact: true }).waitFor();
  await page.goto(`${site.url}/s/${id}#m-nobody`);
  await page.getByText("The message could not be shown").waitFor();
  await page.getByText("hello", { exact: true }).waitFor();
  await page.close();
  // The browser notes the answer 404 by itself.
  expect(site.complaints.splice(0)).toEqual([expect.stringContaining("404")]);
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
