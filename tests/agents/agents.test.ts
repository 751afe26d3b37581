import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countText, type Turn } from "@midfold/testkit";
import { expect, test } from "vitest";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { isClientSummary } from "./is-client-summary.ts";
import { readOptions } from "./options.ts";
import { writeWorkspace } from "./write-workspace.ts";

const turn = (text: string, role: "user" | "tool" = "user"): Turn => ({
  protocol: "openai-chat",
  model: "m",
  stream: true,
  system: "",
  messages: [{ role, text, calls: [], results: [] }],
  tools: [],
  inputTokens: 1,
  index: 0,
  body: {},
});

test("a client's request for a summary is told from a step that mentions one", () => {
  expect(isClientSummary(turn("Your task is to create a detailed summary of the conversation so far"))).toBe(true);
  expect(isClientSummary(turn("Please write a summary of the notes"))).toBe(false);
  expect(isClientSummary(turn("Your task is to create a detailed summary of", "tool"))).toBe(false);
});

test("notes are all different and about as large as asked", () => {
  const folder = mkdtempSync(join(tmpdir(), "midfold-notes-"));
  const command = writeWorkspace(folder, 6, 1_000);
  const notes = Array.from({ length: 6 }, (_, step) =>
    readFileSync(join(folder, command(step).replace("cat ", "")), "utf8"),
  );
  rmSync(folder, { recursive: true });
  expect(new Set(notes).size).toBe(6);
  for (const note of notes) expect(Math.abs(countText(note) - 1_000)).toBeLessThan(150);
});

test("options choose a part of the matrix", () => {
  const options = readOptions(["--agent", "codex", "--window", "16k,32000", "--upstream", "chat", "--via", "midfold"]);
  expect(options).toMatchObject({
    agents: ["codex"],
    windows: [16_384, 32_000],
    upstreams: ["openai-chat"],
    ways: ["midfold"],
  });
  expect(() => readOptions(["--upstream", "bedrock"])).toThrow('no upstream "bedrock"');
});

test("shell calls fit the tools on offer", () => {
  expect(claudeCode.shellCall(["Read", "Bash"], "ls")).toMatchObject({ name: "Bash", input: { command: "ls" } });
  expect(codex.shellCall(["exec_command"], "ls")).toEqual({ name: "exec_command", input: { cmd: "ls" } });
  expect(codex.shellCall(["web_search"], "ls")).toBeUndefined();
});
