import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Simulator, startSimulator } from "@midfold/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

const folder = import.meta.dirname;
const expected: Record<string, RegExp> = {
  "openai-chat.ts": /next turn: reused\nanswered: ok/,
  "anthropic-messages.ts": /calls without a result: 0\nanswered: ok/,
  "openai-responses.ts": /would free \d+ tokens in 1 span\n.*\nanswered: ok/,
  "ai-sdk.ts": /answered: ok/,
  "openai-client.ts": /answered: ok/,
  "anthropic-client.ts": /answered: ok/,
  "langchain.ts": /answered: ok; the state has 242 messages\ntrimmed: 241 → \d+: ok/,
  "openai-agents.ts": /answered: ok; the session has 242 items/,
  "mastra.ts": /answered: ok/,
  "tanstack-ai.ts": /answered: ok/,
  "context-manager.ts": /241 messages kept, \d{2} sent, \d{3,4} tokens/,
  "context-service.ts": /11 of 40 sent, .*messages 5 to 35\n.*asked 1 time, the same messages: true\n.*: no state/,
};

/** A strict provider with a small window: it refuses what is too long or malformed. */
let provider: Simulator;
beforeAll(async () => {
  const protocol = ["openai-chat", "openai-responses", "anthropic-messages"] as const;
  provider = await startSimulator({ protocol, window: 20_000, unknownFields: "ignore" });
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => provider.close());

describe("examples", () => {
  it("each has an expectation here", () => {
    const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
    expect(files.sort()).toEqual(Object.keys(expected).sort());
  });

  // In this process, one after the other: a process each would load the same SDKs and tables twelve times.
  it.each(Object.entries(expected))("%s runs and says what it should", async (file, pattern) => {
    vi.stubEnv("BASE_URL", file.startsWith("anthropic") ? provider.url : `${provider.url}/v1`);
    const said: string[] = [];
    vi.spyOn(console, "log").mockImplementation((line) => said.push(String(line)));
    await import(/* @vite-ignore */ join(folder, file));
    vi.restoreAllMocks();
    expect(said.join("\n")).toMatch(pattern);
    expect(provider.counts).toMatchObject({ overflows: 0, invalid: 0 });
  });
});
