import { type Simulator, startSimulator } from "@midfold/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type GatewayUnderTest, startGateway } from "../testing/start-gateway.ts";

const window = 4_000;
const longest = 120;
let simulator: Simulator;
let gateway: GatewayUnderTest;
beforeAll(async () => {
  simulator = await startSimulator({ protocol: "openai-chat", window, script: () => ({ text: "ok" }) });
  gateway = await startGateway({
    yaml: JSON.stringify({
      upstreams: { sim: { provider: "generic", baseUrl: `${simulator.url}/v1`, apiKeyEnv: "SIM_KEY" } },
      routes: [{ model: "*", upstream: "sim", window }],
    }),
    env: { SIM_KEY: "sk-upstream-secret" },
  });
});
afterAll(async () => {
  await gateway.close();
  await simulator.close();
});

/** A person talks on and on, and sends everything every time; how often the answer is that it is too long. */
async function talk(headers: Record<string, string>): Promise<{ refusals: number; lastAnswered: number }> {
  const messages: { role: string; content: string }[] = [];
  let refusals = 0;
  let lastAnswered = 0;
  for (let turn = 1; turn <= longest; turn++) {
    messages.push({
      role: "user",
      content: `Question ${turn}: ${"how does the garden grow in this month? ".repeat(8)}`,
    });
    const response = await gateway.post(
      "/v1/chat/completions",
      { model: "gpt-4o", messages, max_tokens: 200 },
      headers,
    );
    await response.text();
    if (response.status === 200) lastAnswered = turn;
    else refusals++;
    messages.push({ role: "assistant", content: `Answer ${turn}: it grows.` });
  }
  return { refusals, lastAnswered };
}

it("overflow errors are gone, and a conversation goes on where it would have ended", async () => {
  const plain = await talk({ "x-disable-compression": "true" });
  expect(plain.refusals).toBeGreaterThan(longest / 2);
  const folded = await talk({});
  expect(folded.refusals).toBeLessThan(plain.refusals * 0.1);
  expect(folded.refusals).toBe(0);
  expect(folded.lastAnswered).toBe(longest);
  expect(plain.lastAnswered).toBeLessThan(longest / 2);
});
