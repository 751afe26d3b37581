import { lastUserText, type Simulator, startSimulator } from "@midfold/testkit";
import { afterEach, expect, test } from "vitest";
import { type GatewayUnderTest, startGateway } from "../testing/start-gateway.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const turns = (count: number) =>
  Array.from({ length: count * 2 + 1 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Turn ${at}. ${"The quick brown fox jumps over the lazy dog. ".repeat(20)}`,
  }));

async function startWith(writer: string): Promise<readonly [Simulator, GatewayUnderTest]> {
  const simulator = await startSimulator({
    protocol: "openai-chat",
    script: (turn) => ({
      text: /summar/i.test(lastUserText(turn)) ? "<summary>The essence: fox and dog.</summary>" : "ok",
    }),
  });
  const compact = { token_threshold: 4_000, retention_window: 4, model: writer, max_tokens: 500 };
  const gateway = await startGateway({
    env: { KEY: "sk-upstream" },
    yaml: JSON.stringify({
      upstreams: { sim: { baseUrl: `${simulator.url}/v1`, apiKeyEnv: "KEY" } },
      routes: [{ model: "*", upstream: "sim", window: 100_000, preset: "agent", compact }],
    }),
  });
  open.push(simulator, gateway);
  return [simulator, gateway];
}

async function ledgerAfterSummary(gateway: GatewayUnderTest) {
  await (await gateway.post("/v1/chat/completions", { model: "gpt-4o", messages: turns(9) })).text();
  await expect
    .poll(() => gateway.lines.some(({ msg }) => msg === "summary prepared"), { timeout: 20_000, interval: 50 })
    .toBe(true);
  return (await (await fetch(`${gateway.url}/api/console/savings`)).json()).total;
}

test("what a summary cost is in the ledger, as its model was billed", async () => {
  const [simulator, gateway] = await startWith("gpt-4o-mini");
  const { summaries, summaryMicros } = await ledgerAfterSummary(gateway);
  const written = simulator.requests.filter(({ body }) => (body as { model?: string }).model === "gpt-4o-mini");
  expect(summaries).toBe(written.length);
  // Input alone, at 15 cents a million; the few words of output come on top.
  const input = written.reduce((sum, { outcome }) => sum + (outcome.inputTokens ?? 0), 0) * 0.15;
  expect(summaryMicros).toBeGreaterThan(input);
  expect(summaryMicros).toBeLessThan(input + 100);
});

test("a summary by a model without a known price makes the ledger say so", async () => {
  const [, gateway] = await startWith("nobodys-model");
  expect(await ledgerAfterSummary(gateway)).toMatchObject({ summaries: 1, summaryMicros: null });
});
