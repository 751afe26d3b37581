import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const folder = import.meta.dirname;
const expected: Record<string, RegExp> = {
  "openai-chat.ts": /next turn: reused/,
  "anthropic-messages.ts": /calls without a result: 0/,
  "openai-responses.ts": /would free \d+ tokens in 1 span/,
  "ai-sdk.ts": /Done\. after 31 steps/,
  "context-manager.ts": /241 messages kept, \d{2} sent, [12]\d{3} tokens/,
  "context-service.ts": /11 of 40 sent, .*messages 5 to 35\n.*asked 1 time, the same messages: true\n.*: no state/,
};

describe("examples", () => {
  it("each has an expectation here", () => {
    const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
    expect(files.sort()).toEqual(Object.keys(expected).sort());
  });

  it.each(Object.entries(expected))("%s runs and says what it should", async (file, pattern) => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, file)]);
    expect(stdout).toMatch(pattern);
  });
});
