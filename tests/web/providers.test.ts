import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callApi } from "./call-api.ts";
import { eventually, expectAccessible, expectNoSidewaysScroll } from "./expect-page.ts";
import { openSite, type Site } from "./open-site.ts";
import { composer, say } from "./talk.ts";

let site: Site;
let ollama: Server;
let address: string;
const asked: { readonly path: string; readonly body: string }[] = [];
beforeAll(async () => {
  ollama = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    const path = request.url ?? "";
    asked.push({ path, body });
    if (path.endsWith("/chat/completions")) {
      const chunk = (delta: object, finish: string | null) =>
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "llama3.2:3b", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      return response.end(
        `${chunk({ role: "assistant", content: "Hello from the llama." }, null)}${chunk({}, "stop")}data: [DONE]\n\n`,
      );
    }
    const pages: Readonly<Record<string, unknown>> = {
      "/v1/models": { object: "list", data: [{ id: "llama3.2:3b", object: "model" }] },
      "/api/ps": { models: [] },
      "/api/show": { parameters: "num_ctx 8192", model_info: { "llama.context_length": 131_072 } },
    };
    response.writeHead(path in pages ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(pages[path] ?? {}));
  });
  await new Promise<void>((resolve) => ollama.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(ollama.address() as AddressInfo).port}/v1`;
  site = await openSite();
});
afterAll(async () => {
  await site.close();
  ollama.closeAllConnections();
  ollama.close();
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
    .getByText(/could not be reached/)
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
  await page.getByText("Hello from the llama.").waitFor();
  const sent = JSON.parse(asked.findLast(({ path }) => path.endsWith("/chat/completions"))?.body ?? "{}");
  expect(sent).toMatchObject({
    temperature: 0.3,
    messages: [{ role: "system", content: "Answer like a sailor." }, {}],
  });
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
