import { readFileSync } from "node:fs";
import { type Simulator, startSimulator } from "@midfold/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi } from "./call-api.ts";
import { eventually, expectAccessible, expectNoSidewaysScroll } from "./expect-page.ts";
import { holdAnswers } from "./hold-answers.ts";
import { openSite, type Site, useSite } from "./open-site.ts";
import { sendConversation, sendHello, tooLong } from "./send-conversation.ts";

interface Listed {
  readonly id: string;
  readonly conversationId: string;
  readonly fold: { readonly outcome: string };
}

const listed = async (url: string) =>
  (await callApi<{ items: readonly Listed[] }>(url, "GET", "/console/requests")).items;
const withOutcome = async (url: string, outcome: string): Promise<Listed> => {
  const found = (await listed(url)).find(({ fold }) => fold.outcome === outcome);
  if (found === undefined) throw new Error(`no request was ${outcome}`);
  return found;
};

describe("the console of a gateway that has captured nothing", () => {
  const site = useSite();

  it("says how to connect while nothing has come, then shows the first request by itself", async () => {
    const page = await site.open("/console");
    await page.getByText("No request has come through").waitFor();
    for (const client of ["Claude Code", "Codex", "OpenCode (opencode.json)", "Anthropic SDK", "OpenAI SDK"]) {
      await page.getByText(client, { exact: true }).waitFor();
    }
    expect(await page.locator("code", { hasText: "ANTHROPIC_BASE_URL" }).textContent()).toContain(site.url);
    await page.getByRole("button", { name: "Copy the line for Claude Code" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `ANTHROPIC_BASE_URL=${site.url} ANTHROPIC_API_KEY=any claude`,
    );
    await expectAccessible(page);

    await page.getByText("live", { exact: true }).waitFor();
    await sendHello(site.url);
    const row = page.getByRole("link", { name: /codex_cli_rs midfold-demo .* fits/ });
    await row.waitFor();
    await page.getByText(/Not folded: .* tokens fit/).waitFor();
    expect(await page.getByText("Content is captured").count()).toBe(0);
    await page.close();
  });

  it("keeps filters in the address, and goes by keyboard", async () => {
    await sendConversation(site.url, 16);
    await sendHello(site.url, "midfold-demo-1k", tooLong);
    const page = await site.open("/console?folded=true");
    const rows = page.locator("[data-row]");
    await rows.first().waitFor();
    const folded = (await listed(site.url)).filter(({ fold }) => /folded|reused/.test(fold.outcome)).length;
    expect(folded).toBeGreaterThan(2);
    expect(await rows.count()).toBe(folded);
    expect(await rows.first().textContent()).toMatch(/→/);

    await page.getByRole("button", { name: "Folded" }).click();
    await page.getByRole("button", { name: "Failed" }).click();
    await eventually(() => page.url()).toMatch(/\?failed=true$/);
    await page.getByText("cannot fit").first().waitFor();
    await eventually(() => rows.count()).toBe(1);

    await page.getByRole("button", { name: "Clear" }).focus();
    await page.keyboard.press("Escape");
    await eventually(() => page.url()).toMatch(/\/console$/);
    await page.getByLabel("Client", { exact: true }).selectOption("claude-cli");
    await eventually(() => page.url()).toContain("client=claude-cli");
    await eventually(() => rows.count()).toBe(16);
    await page.getByLabel("Client", { exact: true }).blur();

    await page.keyboard.press("/");
    await page.keyboard.type("reused");
    await eventually(() => page.url()).toContain("q=reused");
    await eventually(() => rows.count()).toBeLessThan(16);
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    expect(await rows.first().evaluate((row) => row === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: "Timeline" }).waitFor();
    expect(page.url()).toContain("/console/requests/");
    await page.close();
  });

  it("holds new requests back while paused", async () => {
    const page = await site.open("/console");
    await page.getByText("live", { exact: true }).waitFor();
    const rows = page.locator("[data-row]");
    await rows.first().waitFor();
    const before = await rows.count();
    await page.getByRole("button", { name: "Pause" }).click();
    await sendHello(site.url);
    await page.getByRole("button", { name: "Resume (1 new)" }).click();
    await eventually(() => rows.count()).toBe(before + 1);
    await page.getByText("Routes and learned windows").click();
    await page
      .getByRole("table", { name: /^Routes/ })
      .getByRole("cell", { name: "demo", exact: true })
      .first()
      .waitFor();
    await expectAccessible(page);
    await page.close();
  });

  it("shows a request that came while the list was on its way", async () => {
    const page = await site.open("/providers");
    const list = await holdAnswers(page, ({ pathname }) => pathname === "/api/console/requests");
    const feed = page.waitForResponse((response) => new URL(response.url()).pathname === "/api/console/feed");
    await page.goto(`${site.url}/console`);
    await Promise.all([list.asked, feed]);
    const before = (await listed(site.url)).length;
    const sums = page.waitForResponse((response) => new URL(response.url()).pathname === "/api/console/overview");
    await sendHello(site.url);
    await sums;
    list.letGo();
    await eventually(() => page.locator("[data-row]").count()).toBe(before + 1);
    await page.close();
  });

  it("explains a fold: timeline, plan, reasons, facts, and a curl command", async () => {
    const folded = await withOutcome(site.url, "folded");
    const page = await site.open(`/console/requests/${folded.id}`);
    await page
      .getByText(/Folded: .* tokens came in/)
      .first()
      .waitFor();
    await page.getByRole("list", { name: "Timeline" }).getByText("Count and fold").waitFor();
    await expectAccessible(page);

    await page.getByRole("tab", { name: "Diff" }).click();
    const strip = page.getByRole("img", { name: /^Plan: .* kept .* folded/ });
    await strip.waitFor();
    await page.getByRole("region", { name: "Reasons" }).getByText("fold the middle of the conversation").waitFor();
    await page.getByText(/\d+ decisions as a table/).click();
    await page.getByRole("table", { name: "Decisions of the plan" }).getByText("folded").first().waitFor();
    await page.getByText("server.capture: true").waitFor();
    await expectAccessible(page);

    await page.getByRole("tab", { name: "Received" }).click();
    await page.getByText("anthropic-messages").waitFor();
    await page.getByText("The words are not kept").waitFor();
    await page.getByRole("tab", { name: "Sent" }).click();
    await page.getByText("a digest, no model").waitFor();
    await page.getByText(/^(?:at once|after \d+ further calls?): the provider's cache was warm$/).waitFor();
    await page.getByRole("tab", { name: "Response" }).click();
    await page.getByText("Input billed").waitFor();
    expect(await page.getByRole("tabpanel").textContent()).toContain("Costnot known");
    await page.getByRole("button", { name: "Copy as curl" }).click();
    const curl = await page.evaluate(() => navigator.clipboard.readText());
    expect(curl).toContain(`curl ${site.url}/v1/messages`);
    expect(curl).toContain("@request.json");
    await page.close();
  });

  it("shows a reused fold with the plan of the request that made it, and an impossible one with its error", async () => {
    const reused = await withOutcome(site.url, "reused");
    const page = await site.open(`/console/requests/${reused.id}`);
    await page.getByRole("tab", { name: "Diff" }).click();
    await page.getByRole("link", { name: "an earlier request" }).waitFor();
    await page.getByRole("img", { name: /^Plan: / }).waitFor();
    await page.close();
    const impossible = await withOutcome(site.url, "impossible");
    const other = await site.open(`/console/requests/${impossible.id}`);
    await other.getByText("400 CONTEXT_OVERFLOW").waitFor();
    expect(await other.getByRole("alert").textContent()).not.toBe("");
    await other.close();
  });

  it("draws the saw-tooth of a conversation, and tells it as a table", async () => {
    const page = await site.open("/console/conversations");
    await page.getByRole("link", { name: /claude-cli .* 16 requests, 2 folds/ }).click();
    await page.getByRole("img", { name: /Context size, request by request\. 16 requests, 2 folds/ }).waitFor();
    expect(await page.locator('svg [data-fold="true"]').count()).toBe(2);
    await page.getByText("threshold (input budget)").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Show table" }).click();
    const table = page.getByRole("table", { name: /Size at every request/ });
    expect(await table.getByRole("row").count()).toBe(17);
    const sizes = await table
      .locator("tbody tr")
      .evaluateAll((rows) =>
        rows.map((row) =>
          [3, 4].map((at) => Number(row.querySelector(`td:nth-child(${at + 1})`)?.textContent?.replaceAll(",", ""))),
        ),
      );
    // Never over the threshold, and at some point smaller than before: the saw-tooth.
    for (const [sent, threshold] of sizes) expect(sent).toBeLessThanOrEqual(threshold as number);
    expect(sizes.some(([sent], at) => at > 0 && (sent as number) < (sizes[at - 1]?.[0] as number))).toBe(true);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Its requests in the list" }).click();
    await page.locator("[data-row]").first().waitFor();
    expect(await page.locator("[data-row]").count()).toBe(16);
    await page.close();
  });

  it("says that money is not known where no model has a price", async () => {
    const page = await site.open("/console/savings");
    const ledger = page.getByRole("region", { name: "Savings", exact: true });
    await ledger.getByText("money not known").waitFor();
    expect(await ledger.textContent()).toMatch(/Net\s*not known/);
    await page.close();
  });

  it("is good at 375 pixels, in the dark", async () => {
    const { id, conversationId } = await withOutcome(site.url, "folded");
    for (const path of ["", `/requests/${id}`, "/conversations", `/conversations/${conversationId}`, "/savings"]) {
      const page = await site.open(`/console${path}`, { width: 375, height: 800, theme: "dark" });
      await page.getByRole("navigation", { name: "Console" }).waitFor();
      await page.getByText("Loading").waitFor({ state: "detached" });
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await page.close();
    }
  });

  it("asked nobody else for anything, and nothing went wrong on the way", () => {
    expect(site.complaints).toEqual([]);
  });
});

describe("the console of a gateway that captures content", () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite("server:\n  capture: true\n");
    await sendConversation(site.url, 12);
  });
  afterAll(() => site.close());

  it("says so in sight, and shows the words before and after", async () => {
    const list = await site.open("/console");
    await list.getByText("Content is captured").waitFor();
    await list.close();
    const folded = await withOutcome(site.url, "folded");
    const page = await site.open(`/console/requests/${folded.id}`);
    await page.getByText("Content is captured").waitFor();
    await page.getByRole("tab", { name: "Diff" }).click();
    const diff = page.getByRole("region", { name: "Message by message" });
    await diff.getByText("written by the fold").first().waitFor();
    await diff.getByText("not sent word for word").first().waitFor();
    await diff.getByText("sent as it came").first().waitFor();
    await diff.getByText("never delete /var/lib/app0.db").first().waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Copy as curl" }).click();
    const curl = await page.evaluate(() => navigator.clipboard.readText());
    expect(curl).toContain('"content":"Step 0: never delete');
    await page.getByRole("tab", { name: "Response" }).click();
    await page.getByRole("region", { name: "Answer" }).getByText("You said:").waitFor();
    await page.getByRole("tab", { name: "What it is made of" }).click();
    await page.getByRole("region", { name: "System prompt" }).waitFor();
    await page.getByRole("region", { name: "Messages" }).getByText("never delete /var/lib/app0.db").first().waitFor();
    await expectAccessible(page);
    await page.close();
    expect(site.complaints).toEqual([]);
  });

  it("by hand: folds a conversation that fits and sends it whole again, pins a message, leaves one out", async () => {
    const messages = [
      { role: "user", content: "Plan the harbour party." },
      { role: "assistant", content: "Gladly. When is it?" },
      { role: "user", content: `On 14 October. ${"The list of guests is long. ".repeat(60)}` },
      { role: "assistant", content: `Noted. ${"There will be lanterns on the quay. ".repeat(60)}` },
      { role: "user", content: `More lanterns. ${"And music by the water. ".repeat(60)}` },
      { role: "assistant", content: `More lanterns it is. ${"The band plays until ten. ".repeat(60)}` },
    ];
    const ask = async (question: string) => {
      const response = await fetch(`${site.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", "user-agent": "party-planner/1.0" },
        body: JSON.stringify({ model: "midfold-demo", messages: [...messages, { role: "user", content: question }] }),
      });
      expect(response.status).toBe(200);
    };
    await ask("When is it?");
    const page = await site.open("/console/conversations");
    await page.getByRole("link", { name: /^Plan the harbour party\. party-planner/ }).click();
    await page.getByRole("heading", { name: "Plan the harbour party." }).waitFor();
    const byHand = page.getByRole("region", { name: "Decide by hand" });
    await byHand.getByText("It fits, and is sent whole.").waitFor();
    await byHand.getByRole("button", { name: "Fold now" }).click();
    await byHand.getByText("It fits, and is sent folded because you asked for it.").waitFor();
    await byHand.getByRole("button", { name: "Pin message 3" }).click();
    await byHand.getByRole("button", { name: "Unpin message 3" }).waitFor();
    await byHand.getByRole("button", { name: "Leave out message 2" }).click();
    await byHand.getByRole("button", { name: "Put back message 2" }).waitFor();
    expect(await byHand.getByRole("button", { name: "Leave out message 1" }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await ask("When is it, again?");
    const [request] = (await callApi<{ items: readonly Listed[] }>(site.url, "GET", "/console/requests")).items;
    expect(request?.fold.outcome).toBe("folded");
    const content = await callApi<{ after: readonly { content: string }[] }>(
      site.url,
      "GET",
      `/console/requests/${request?.id}/content`,
    );
    const sent = content.after.map(({ content: words }) => words);
    expect(sent).toContain(messages[2]?.content);
    expect(sent).not.toContain(messages[1]?.content);
    await byHand.getByRole("button", { name: "Undo: send it whole again" }).click();
    await byHand.getByRole("button", { name: "Fold now" }).waitFor();
    await page.close();
    expect(site.complaints).toEqual([]);
  });
});

describe("the ledger, with a provider that caches and bills", () => {
  let simulator: Simulator;
  let site: Site;
  beforeAll(async () => {
    simulator = await startSimulator({ protocol: "openai-chat", countScale: 1.05 });
    site = await openSite(
      JSON.stringify({
        upstreams: {
          sim: { baseUrl: `${simulator.url}/v1`, credentials: "none", headers: { authorization: "Bearer any" } },
        },
        routes: [{ model: "*", upstream: "sim", window: 8_192 }],
      }),
    );
    await sendConversation(site.url, 20, "gpt-4o-mini");
  });
  afterAll(async () => {
    await site.close();
    await simulator.close();
  });

  it("adds up gross, summaries, cache re-writes and net, and says how far counts are off", async () => {
    const page = await site.open("/console/savings");
    const ledger = page.getByRole("region", { name: "Savings", exact: true });
    await ledger.getByText("money estimated").waitFor();
    const { total } = await callApi<{ total: Record<string, number> }>(site.url, "GET", "/console/savings");
    const { tokensBefore = 0, tokensAfter = 0, savedMicros = 0, savedCachedMicros = 0, rewriteMicros = 0 } = total;
    expect(savedMicros).toBeGreaterThan(savedCachedMicros);
    expect(rewriteMicros).toBeGreaterThan(0);
    const usd = (micros: number) =>
      `${micros < 0 ? "−" : ""}$${Math.abs(micros / 1e6).toFixed(Math.abs(micros) < 1e5 ? 4 : 2)}`;
    const words = (await ledger.textContent()) ?? "";
    expect(words).toContain(`${new Intl.NumberFormat("en").format(tokensBefore - tokensAfter)} tokens`);
    expect(words).toContain(`${usd(savedCachedMicros)} to ${usd(savedMicros)}`);
    expect(words).toContain(`− ${usd(rewriteMicros)}`);
    expect(words).toContain(`Net${usd(savedCachedMicros - rewriteMicros)} to ${usd(savedMicros - rewriteMicros)}`);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download as CSV" }).click();
    const csv = readFileSync(await (await download).path(), "utf8");
    expect(csv).toMatch(/^of,name,requests,/);
    expect(csv).toContain("\nmodel,gpt-4o-mini,20,");
    await page.getByRole("img", { name: /^Tokens per hour/ }).waitFor();
    await page.getByRole("table", { name: "Savings by model" }).getByText("gpt-4o-mini").waitFor();
    await page.getByRole("img", { name: /^gpt-4o-mini\. Counted by .* off on average/ }).waitFor();
    await expectAccessible(page);
    const chart = page.getByRole("button", { name: "Show table" });
    while ((await chart.count()) > 0) await chart.first().click();
    await page.getByRole("table", { name: /Counted and billed tokens/ }).waitFor();
    await expectAccessible(page);
    const reused = await withOutcome(site.url, "reused");
    const detail = await site.open(`/console/requests/${reused.id}`);
    await detail.getByRole("tab", { name: "Response" }).click();
    expect(await detail.getByRole("tabpanel").textContent()).toMatch(/Cost\s*\$0\.\d+/);
    expect(site.complaints).toEqual([]);
  });
});

it("windows learned from a provider are listed with the reason, and one can be forgotten", async () => {
  const simulator = await startSimulator({ protocol: "openai-chat", window: 4_096 });
  const upstream = { baseUrl: `${simulator.url}/v1`, credentials: "none", headers: { authorization: "Bearer any" } };
  const site = await openSite(
    JSON.stringify({ upstreams: { sim: upstream }, routes: [{ model: "*", upstream: "sim" }] }),
  );
  try {
    await sendHello(site.url, "gpt-4o-mini", tooLong);
    const page = await site.open("/console");
    await page.getByText("Routes and learned windows").click();
    const table = page.getByRole("table", { name: /^Windows learned/ });
    await table.getByRole("cell", { name: /maximum context length/ }).waitFor();
    await table.getByRole("cell", { name: "4,096" }).waitFor();
    await expectAccessible(page);
    await table.getByRole("button", { name: "Forget the window of gpt-4o-mini at sim" }).click();
    await page.getByText("No window had to be learned").waitFor();
    expect(site.complaints).toEqual([]);
  } finally {
    await site.close();
    await simulator.close();
  }
});
