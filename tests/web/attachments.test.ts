import { strToU8, zipSync } from "fflate";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { callApi, importMessages, importTalk } from "./call-api.ts";
import { eventually, expectAccessible } from "./expect-page.ts";
import { holdAnswers } from "./hold-answers.ts";
import { useSite } from "./open-site.ts";
import { composer, pixel, replyDone, say } from "./talk.ts";

const site = useSite();

const give = (page: Page, name: string, mimeType: string, content: string | Uint8Array) =>
  page.getByLabel("Files to attach").setInputFiles({ name, mimeType, buffer: Buffer.from(content) });

const newest = async (id: string) => {
  const { messages } = await callApi<{ messages: { role: string; parts: Record<string, string>[] }[] }>(
    site.url,
    "GET",
    `/sessions/${id}/messages`,
  );
  return messages.findLast(({ role }) => role === "user")?.parts ?? [];
};

/** A PDF of one page that says this. */
function pdfOf(words: string): string {
  const text = `BT /F1 24 Tf 72 700 Td (${words}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const at = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const rows = offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  return `${body}xref\n0 6\n0000000000 65535 f \n${rows}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF`;
}

describe("what goes along with a message", () => {
  it("of PDF and office files the words, of pictures the picture; anything else is refused with a reason", async () => {
    const id = await importMessages(site.url, "Files", [{ role: "user", content: "hello" }]);
    const page = await site.open(`/s/${id}`);
    await page.getByText("hello", { exact: true }).waitFor();
    await give(page, "invoice.pdf", "application/pdf", pdfOf("Invoice 4711 of the harbour"));
    await page.getByRole("button", { name: "Remove invoice.pdf" }).waitFor();
    const word = (text: string) =>
      `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`;
    const docx = zipSync({ "word/document.xml": strToU8(word("The crane opens at nine")) });
    await give(page, "plan.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", docx);
    await page.getByRole("button", { name: "Remove plan.docx" }).waitFor();
    const xlsx = zipSync({
      "xl/workbook.xml": strToU8("<workbook/>"),
      "xl/sharedStrings.xml": strToU8("<sst><si><t>berth</t></si></sst>"),
      "xl/worksheets/sheet1.xml": strToU8('<worksheet><row><c t="s"><v>0</v></c><c><v>17</v></c></row></worksheet>'),
    });
    await give(page, "berths.xlsx", "application/octet-stream", xlsx);
    await page.getByRole("button", { name: "Remove berths.xlsx" }).waitFor();
    await give(page, "dot.png", "image/png", Buffer.from(pixel, "base64"));
    await page.getByRole("button", { name: "Remove dot.png" }).waitFor();
    await give(page, "engine.bin", "application/octet-stream", Buffer.from([0, 159, 146, 150]));
    await page.getByText(/engine\.bin is no text, PDF, office document or picture/).waitFor();
    await expectAccessible(page);
    await say(page, "What is in these?");
    await replyDone(page);
    const parts = await newest(id);
    expect(parts.map(({ type }) => type)).toEqual(["file", "file", "file", "image", "text"]);
    expect(parts[0]?.text).toContain("Invoice 4711 of the harbour");
    expect(parts[1]?.text).toBe("The crane opens at nine");
    expect(parts[2]?.text).toBe("berth\t17");
    await page.close();
  });

  it("files that are read beside each other are all attached, and nothing is sent before", async () => {
    const id = await importMessages(site.url, "Two files", [{ role: "user", content: "hello" }]);
    const page = await site.open(`/s/${id}`);
    await page.getByText("hello", { exact: true }).waitFor();
    // The first file takes its time.
    await page.evaluate(() => {
      const read = File.prototype.arrayBuffer;
      const held = Promise.withResolvers<void>();
      Object.assign(globalThis, { letGo: held.resolve });
      File.prototype.arrayBuffer = async function arrayBuffer() {
        if (this.name === "slow.txt") await held.promise;
        return read.call(this);
      };
    });
    await give(page, "slow.txt", "text/plain", "The tide is high.");
    await page.getByText("Reading the file").waitFor();
    await give(page, "quick.txt", "text/plain", "The wind is low.");
    await page.getByRole("button", { name: "Remove quick.txt" }).waitFor();
    await composer(page).fill("What is in these?");
    await composer(page).press("Enter");
    await page.evaluate(() => (globalThis as unknown as { letGo: () => void }).letGo());
    await page.getByRole("button", { name: "Remove slow.txt" }).waitFor();
    await page.getByRole("button", { name: "Remove quick.txt" }).waitFor();
    await composer(page).press("Enter");
    await replyDone(page);
    expect((await newest(id)).map(({ name }) => name)).toEqual(["quick.txt", "slow.txt", undefined]);
    await page.close();
  });

  it("words written while a message is being shortened stay", async () => {
    const id = await importMessages(site.url, "Shorten", [{ role: "user", content: "hello" }], "midfold-demo-8k");
    const page = await site.open(`/s/${id}`);
    await page.getByText("hello", { exact: true }).waitFor();
    const words = "a line of the log file ".repeat(12_000);
    await composer(page).fill(words);
    const held = await holdAnswers(page, ({ pathname }) => pathname.endsWith("/clip"));
    await page.getByRole("button", { name: "Shorten it to fit" }).click();
    await held.asked;
    await composer(page).fill("Something else");
    const answered = page.waitForResponse(/\/clip$/);
    held.letGo();
    await answered;
    await page.getByRole("button", { name: "Shorten it to fit" }).waitFor({ state: "detached" });
    expect(await composer(page).inputValue()).toBe("Something else");
    await page.close();
  });

  it("a file larger than the window is counted, shortened on demand, and answered", async () => {
    const id = await importMessages(site.url, "Large", [{ role: "user", content: "hello" }], "midfold-demo-8k");
    const page = await site.open(`/s/${id}`);
    await page.getByText("hello", { exact: true }).waitFor();
    await give(page, "log.txt", "text/plain", `first line\n${"a line of the log file\n".repeat(12_000)}last line`);
    const note = page.getByRole("note").filter({ hasText: "This message is about" });
    await note.waitFor();
    expect(await page.getByRole("meter").getAttribute("aria-valuetext")).toMatch(/^Over full: \d{3,}% used/);
    await note.getByRole("button", { name: "Use a larger model" }).waitFor({ state: "detached" });
    await expectAccessible(page);
    await note.getByRole("button", { name: "Shorten it to fit" }).click();
    await note.waitFor({ state: "detached" });
    await say(page, "What happened last?");
    await replyDone(page);
    expect(await page.getByRole("alert").count()).toBe(0);
    const [file] = await newest(id);
    expect(file?.text).toMatch(/^first line\n[\s\S]*last line$/);
    // The next message is answered too.
    await say(page, "And before that?");
    await page.getByText("You said: “And before that?").waitFor();
    await page.close();
  });

  it("what the model refuses as too long can be summarized and sent again", async () => {
    const id = await importTalk(
      site.url,
      "Full",
      20,
      (i) => `The harbour plan, part ${i}. ${"Words about cranes and ships. ".repeat(60)}`,
      "midfold-demo-6k",
    );
    await callApi(site.url, "PATCH", "/settings", { scope: `session:${id}`, set: { autoCompression: false } });
    const page = await site.open(`/s/${id}`);
    await page.getByRole("article").last().waitFor();
    await say(page, "Who owns the crane?");
    const alert = page.getByRole("alert");
    await alert.getByRole("button", { name: "Shorten and send again" }).waitFor();
    await alert.getByRole("button", { name: "Summarize and send again" }).click();
    await page.getByText("You said: “Who owns the crane?").waitFor();
    await eventually(() => page.getByRole("alert").count()).toBe(0);
    await page.close();
  });

  it("the words being written outlast a reload", async () => {
    const id = await importMessages(site.url, "Draft", [{ role: "user", content: "hello" }]);
    const page = await site.open(`/s/${id}`);
    await composer(page).fill("Half a thought");
    await page.reload();
    await eventually(() => composer(page).inputValue()).toBe("Half a thought");
    await page.close();
  });
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints).toEqual([]);
});
