import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { callApi, importMessages, importTalk } from "./call-api.ts";
import { eventually, expectAccessible, expectNoSidewaysScroll } from "./expect-page.ts";
import { useSite } from "./open-site.ts";
import { pixel, replyDone, say } from "./talk.ts";

const site = useSite();

describe("conversations", () => {
  it("starts empty, and the keyboard shortcuts are listed", async () => {
    const page = await site.open("/");
    await page.getByRole("heading", { name: "Talk as long as you like" }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.close();
  });

  it("streams a reply, stops one, answers again, and edits in a new branch", async () => {
    const page = await site.open("/");
    await page.getByRole("button", { name: "New conversation" }).first().click();
    await page.getByText("Nothing said yet").waitFor();
    await say(page, "First words about the harbour.");
    await page.getByText("You said: “First words").waitFor();
    await replyDone(page);

    site.demo.holdAfter(8);
    await say(page, `Tell me everything. ${"And then some more of it. ".repeat(20)}`);
    await page.getByText("You said: “Tell me").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText(/Cut short/).waitFor();
    site.demo.letGo();

    await page.getByRole("button", { name: "Answer again" }).click();
    await page.getByText(/Cut short/).waitFor({ state: "detached" });
    await page.getByText("You said: “Tell me everything").waitFor();

    const before = page.url();
    await page.getByRole("article").filter({ hasText: "First words" }).first().hover();
    await page.getByRole("button", { name: "Edit in a new branch" }).first().click();
    await page.getByRole("textbox", { name: "Edited message" }).fill("Other words about the mountain.");
    await page.getByRole("button", { name: "Send in a new branch" }).click();
    await page.getByText("You said: “Other words").waitFor();
    await replyDone(page);
    expect(page.url()).not.toBe(before);
    expect(await page.getByRole("article").filter({ hasText: "First words" }).count()).toBe(0);
    await page.goto(before);
    await page.getByRole("article").filter({ hasText: "First words about the harbour." }).first().waitFor();
    await page.close();
  });

  it("finds, renames and deletes, with a way back", async () => {
    const id = await importMessages(site.url, "A lighthouse", [{ role: "user", content: "hello" }]);
    const page = await site.open(`/s/${id}`);
    await page.getByRole("searchbox", { name: "Find a conversation" }).fill("lighthouse");
    await page.getByRole("button", { name: "Actions for A lighthouse" }).click();
    await page.getByRole("menuitem", { name: "Rename and tag" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("The lighthouse at night");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "The lighthouse at night" }).waitFor();
    await page.getByRole("button", { name: "Actions for The lighthouse at night" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Talk as long as you like" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Actions for The lighthouse at night" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByText("Deleted", { exact: true }).waitFor();
    // Whoever closes the page means it.
    await page.goto("about:blank");
    const found = () => fetch(`${site.url}/api/sessions/${id}`).then(({ status }) => status);
    await eventually(found).toBe(404);
    await page.close();
  });

  it("imports a file, and exports JSON and Markdown", async () => {
    const page = await site.open("/");
    const content = JSON.stringify([
      { role: "user", content: "What is the tide?" },
      { role: "assistant", content: "High at **six**." },
    ]);
    await page.getByLabel("Transcript file").setInputFiles({
      name: "tides.json",
      mimeType: "application/json",
      buffer: Buffer.from(content),
    });
    await page.getByRole("heading", { name: "tides" }).waitFor();
    await page.locator("strong", { hasText: "six" }).waitFor();

    const dropped = await page.evaluateHandle((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "dropped.json", { type: "application/json" }));
      return data;
    }, content);
    const aside = page.getByRole("complementary", { name: "Navigation" });
    await aside.getByRole("link", { name: "Midfold" }).dispatchEvent("drop", { dataTransfer: dropped });
    await page.getByRole("heading", { name: "dropped" }).waitFor();
    for (const [item, expected] of [
      ["Export as JSON", '"midfold": 1'],
      ["Export as Markdown", "What is the tide?"],
    ] as const) {
      await page.getByRole("button", { name: "Conversation menu" }).click();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: item }).click(),
      ]);
      expect((await readFile(await file.path(), "utf8")).replaceAll('"midfold":1', '"midfold": 1')).toContain(expected);
    }
    await page.close();
  });
});

describe("messages", () => {
  it("shows tools as rows that open, pictures, code in colours, and tables", async () => {
    const id = await importMessages(site.url, "Tools", [
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } },
        ],
      },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c1", type: "function", function: { name: "read_file", arguments: '{"path":"a.ts"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "const answer = 42;" },
      { role: "assistant", content: "```ts\nconst answer: number = 42;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |" },
    ]);
    const page = await site.open(`/s/${id}`);
    await page.getByRole("img", { name: "Attached" }).waitFor();
    await page.getByRole("button", { name: /read_file \{"path"/ }).click();
    await page.getByText('"path": "a.ts"').waitFor();
    await page.getByRole("button", { name: /result/ }).click();
    await page.getByText("const answer = 42;", { exact: true }).last().waitFor();
    await page.locator(".hljs-keyword", { hasText: "const" }).waitFor();
    await page.getByRole("cell", { name: "2" }).waitFor();
    await expectAccessible(page);
    await page.close();
  });

  it("runs nothing of what messages contain, and asks nobody else for anything", async () => {
    const corpus = [
      "<script>globalThis.pwned=1</script>",
      "<img src=x onerror=globalThis.pwned=1>",
      "<svg/onload=globalThis.pwned=1>",
      "[click](javascript:globalThis.pwned=1)",
      "[click](data:text/html,<script>globalThis.pwned=1</script>)",
      "![x](https://tracker.example/pixel.png)",
      "![x](javascript:globalThis.pwned=1)",
      '<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
      '<a href="https://evil.example" onmouseover=globalThis.pwned=1>x</a>',
      "<style>body{display:none}</style>",
      "<details open ontoggle=globalThis.pwned=1>",
      "[x]: https://evil.example 'a\"><script>globalThis.pwned=1</script>'\n[x]",
      "```html\n<script>globalThis.pwned=1</script>\n```",
    ];
    const id = await importMessages(
      site.url,
      "<img src=x onerror=globalThis.pwned=1>",
      corpus.flatMap((text) => [
        { role: "user", content: text },
        { role: "assistant", content: text },
      ]),
    );
    const page = await site.open(`/s/${id}`);
    await page.getByRole("article").first().waitFor();
    for (let scrolled = 0; scrolled < 6; scrolled += 1) {
      // All at once: rows come and go while the list is scrolled.
      const links = await page.locator("article a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
      for (const href of links) expect(href).not.toMatch(/^(?:javascript|data|vbscript):/i);
      await page.getByRole("region", { name: "Messages" }).evaluate((element) => element.scrollBy(0, -600));
      await page.waitForTimeout(50);
    }
    expect(await page.evaluate(() => "pwned" in globalThis)).toBe(false);
    expect(await page.locator("article script, article iframe, article style, article img").count()).toBe(0);
    await page.close();
  });

  it("keeps a few rows in the page, whatever the length, and loads older ones while scrolling", async () => {
    const id = await importTalk(site.url, "Long", 1200, (i) => `Message number ${i}. ${"Words. ".repeat(i % 30)}`);
    const page = await site.open(`/s/${id}`);
    await page.getByText("Message number 1199.").waitFor();
    expect(await page.getByRole("article").count()).toBeLessThan(60);
    const list = page.getByRole("region", { name: "Messages" });
    const hasOldest = () => page.getByText("Message number 0.").count();
    await eventually(async () => {
      await list.evaluate((element) => element.scrollTo(0, 0));
      return hasOldest();
    }).toBe(1);
    expect(await page.getByRole("article").count()).toBeLessThan(60);
    await page.getByRole("button", { name: "Newest" }).click();
    await page.getByText("Message number 1199.").waitFor();
    await page.close();
  });

  it("another window's words appear by themselves", async () => {
    const id = await importMessages(site.url, "Shared", [
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
    ]);
    const page = await site.open(`/s/${id}`, { listening: true });
    await page.getByText("two", { exact: true }).waitFor();
    await callApi(site.url, "POST", `/sessions/${id}/messages`, { text: "from elsewhere", stream: false });
    await page.getByText("from elsewhere", { exact: true }).waitFor();
    await page.getByText("You said: “from elsewhere").waitFor();
    await page.close();
  });
});

describe("on a small screen, in the dark", () => {
  it("fits 375 pixels, and the navigation opens and closes", async () => {
    const id = await importMessages(site.url, "Small", [
      { role: "user", content: "hello" },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          {
            id: "c1",
            type: "function",
            function: { name: "read_file", arguments: `{"path":"${"folder/".repeat(40)}"}` },
          },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "const answer = 42; ".repeat(40) },
      { role: "user", content: "word".repeat(100) },
      { role: "assistant", content: `\`\`\`ts\n${"const x = 1; ".repeat(40)}\n\`\`\`\n\n${"long".repeat(200)}` },
    ]);
    const page = await site.open(`/s/${id}`, { width: 375, height: 720, theme: "dark" });
    await page.getByRole("article").last().waitFor();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Open navigation" }).click();
    await page.getByRole("link", { name: "Settings" }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Settings" }).waitFor({ state: "hidden" });
    await page.close();
  });
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
