import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Ollama, startOllama } from "@midfold/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callApi } from "./call-api.ts";
import { eventually, expectAccessible, expectNoSidewaysScroll } from "./expect-page.ts";
import { openSite, type Site } from "./open-site.ts";
import { composer, pixel, say } from "./talk.ts";

let site: Site;
let ollama: Ollama;
let address: string;
beforeAll(async () => {
  ollama = await startOllama({
    models: [{ name: "llama3.2:3b", numCtx: 8_192 }],
    answer: (seen) => (JSON.stringify(seen).includes("Ahoy") ? "Ahoy, landlubber." : "Hello from the llama."),
  });
  address = `${ollama.url}/v1`;
  site = await openSite();
});
afterAll(async () => {
  await site.close();
  await ollama.close();
});

const main = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));

/** `npm start` without its setup: the command as it is, in an empty folder, with the web app where setup builds it. */
async function startCommand(folder: string): Promise<{ readonly url: string; readonly command: ChildProcess }> {
  const { PATH, HOME = folder } = process.env;
  const command = spawn(process.execPath, [main, "serve", "--port", "0", "--json"], {
    cwd: folder,
    env: { PATH, HOME },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: command.stdout }), "line")) as [string];
  return { url: (JSON.parse(line) as { url: string }).url, command };
}

it("from the command to an answer of one's own Ollama: note, provider, test, model, words; no file is edited", async () => {
  const folder = mkdtempSync(join(tmpdir(), "midfold-start-"));
  const { url, command } = await startCommand(folder);
  const page = await site.open(url);
  await page.getByRole("complementary", { name: "No provider yet" }).getByRole("link").click();
  await page.getByLabel("Address", { exact: true }).fill(address);
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("It works: 1 model").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("main").getByRole("button", { name: "New conversation" }).click();
  await page.getByRole("button", { name: "Model: ollama/llama3.2:3b" }).waitFor();
  await say(page, "Who are you?");
  await page.getByText("Hello from the llama.").waitFor();
  // The same provider answers other programs through the gateway, for the same owner.
  const post = (model: string) =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Ahoy" }] }),
    });
  expect(await (await post("ollama/llama3.2:3b")).json()).toMatchObject({
    choices: [{ message: { content: "Ahoy, landlubber." } }],
  });
  const listed = (await (await fetch(`${url}/v1/models`)).json()) as { data: readonly { id: string }[] };
  expect(listed.data.map(({ id }) => id)).toContain("ollama/llama3.2:3b");
  await page.close();
  command.kill();
  await once(command, "exit");
  rmSync(folder, { recursive: true, force: true });
});

it("a picture is not sent to a model that takes none, and the page says so", async () => {
  const seeing = await startOllama({
    models: [
      { name: "blind:1b", capabilities: ["completion"] },
      { name: "seeing:1b", capabilities: ["completion", "vision"] },
    ],
    answer: () => "A single pixel.",
  });
  await callApi(site.url, "PUT", "/providers/eyes", { kind: "ollama", baseUrl: `${seeing.url}/v1` });
  const { id } = await callApi<{ id: string }>(site.url, "POST", "/sessions", { model: "eyes/blind:1b" });
  const page = await site.open(`/s/${id}`);
  await page.getByLabel("Files to attach").setInputFiles({
    name: "dot.png",
    mimeType: "image/png",
    buffer: Buffer.from(pixel, "base64"),
  });
  await page.getByRole("alert").getByText("eyes/blind:1b does not take pictures.").waitFor();
  await composer(page).fill("What is this?");
  expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: /^Model: / }).click();
  await page.getByPlaceholder("Find a model").fill("seeing");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("A single pixel.").waitFor();
  await page.close();
  await callApi(site.url, "DELETE", "/providers/eyes");
  await seeing.close();
});

it("from the first page to a real answer of one's own Ollama, without editing a file", async () => {
  const page = await site.open("/");
  await page.getByRole("complementary", { name: "No provider yet" }).getByRole("link").click();
  await page.getByRole("heading", { name: "Add a provider" }).waitFor();
  expect(await page.getByRole("radio", { name: /^Ollama/ }).isChecked()).toBe(true);
  await page.getByLabel("Address", { exact: true }).fill("http://127.0.0.1:9/v1");
  await page.getByRole("button", { name: "Test" }).click();
  await page
    .getByRole("alert")
    .getByText(/Nothing answers at .* Is the server running, and is the address right\?/)
    .waitFor();
  await page.getByLabel("Address", { exact: true }).fill(address);
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("It works: 1 model").waitFor();
  // The window it really runs with, not the model card's.
  await page.getByRole("list", { name: "Models" }).getByText("8.2k tokens").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "ollama", exact: true }).waitFor();
  await page.getByRole("button", { name: "1 model", exact: true }).waitFor();
  await page.getByRole("main").getByRole("button", { name: "New conversation" }).click();
  await page.getByText("Nothing said yet").waitFor();
  expect(await page.getByRole("complementary", { name: "No provider yet" }).count()).toBe(0);
  await page.getByRole("button", { name: "Model: ollama/llama3.2:3b" }).waitFor();
  await say(page, "Who are you?");
  await page.getByText("Hello from the llama.").waitFor();

  // Other models are found by typing.
  await page.getByRole("button", { name: /^Model: / }).click();
  await page.getByPlaceholder("Find a model").fill("demo-8");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Model: midfold-demo-8k" }).waitFor();
  await page.close();
});

it("a conversation has a system prompt and a temperature of its own", async () => {
  const { id } = await callApi<{ id: string }>(site.url, "POST", "/sessions", { model: "ollama/llama3.2:3b" });
  const page = await site.open(`/s/${id}`);
  await page.getByRole("button", { name: "Conversation menu" }).click();
  await page.getByRole("menuitem", { name: "Model and prompt" }).click();
  const dialog = page.getByRole("dialog", { name: "Model and prompt" });
  await dialog.getByLabel("System prompt").fill("Answer like a sailor.");
  await dialog.getByLabel("Temperature").fill("0.3");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await composer(page).fill("Ahoy");
  await composer(page).press("Enter");
  await page.getByText("Ahoy, landlubber.").waitFor();
  expect(ollama.requests.map(({ body }) => body)).toContainEqual(
    expect.objectContaining({
      temperature: 0.3,
      messages: [
        { role: "system", content: "Answer like a sailor." },
        { role: "user", content: "Ahoy" },
      ],
    }),
  );
  await page.close();
});

it("a provider is changed and removed; the page is good at 375 pixels, in the dark", async () => {
  const page = await site.open("/providers", { width: 375, height: 800, theme: "dark" });
  await page.getByRole("button", { name: "Change ollama" }).click();
  expect(await page.getByLabel("Address", { exact: true }).inputValue()).toBe(address);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Remove ollama" }).click();
  await page.getByRole("dialog", { name: "Remove this provider?" }).getByRole("button", { name: "Remove" }).click();
  await page.getByRole("heading", { name: "Add a provider" }).waitFor();
  await eventually(
    async () => (await callApi<{ providers: unknown[] }>(site.url, "GET", "/providers")).providers,
  ).toEqual([]);
  await page.close();
});

it("nothing was asked of other hosts, and no page reported an error", () => {
  expect(site.complaints.filter((words) => !words.includes("status of 502"))).toEqual([]);
});
