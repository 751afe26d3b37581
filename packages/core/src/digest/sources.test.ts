import { describe, expect, it } from "vitest";
import { getCounter } from "../tokens/get-counter.ts";
import { assistant, user } from "./arbitrary-messages.test-data.ts";
import { digest } from "./digest.ts";
import { sourcesOf } from "./sources.ts";

const linesOf = (...texts: string[]) =>
  digest([...texts.map((text) => user(text)), assistant("I go on with the export.")], {
    counter: getCounter("gpt-4o"),
    maxTokens: 3000,
  }).lines;

const quoting = `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.

Analysis:
The importer must be rewritten before the export can work at all.

Summary:
1. Primary Request and Intent:
   The user asked for an export of all invoices.
2. All user messages:
   - "Export all invoices of the year as one file."
   - Never write to the live database.
3. Pending Tasks:
   - Add the export button, which must always be visible.

Please continue the conversation from where we left off without asking the user any further questions.`;

it("a summary that a client sends as words of the user is a record, save what it quotes of the user", () => {
  const lines = linesOf(quoting, "Now add the footer as well.");
  expect(lines.rules).toEqual(["Never write to the live database."]);
  expect(lines.unverified).toEqual([]);
  expect(lines.state).toContain("task: Export all invoices of the year as one file.");
  expect(lines.state).toContain("newest request in these notes: Now add the footer as well.");
  expect(lines.user).toEqual(["Export all invoices of the year as one file."]);
  expect(lines.log.join("\n")).toMatch(/^earlier: .*Add the export button, which must always be visible\./);
});

it("what a client notes of a command typed into it is told without its tags", () => {
  const noted =
    "<command-message>review</command-message>\n<command-name>/review-pull</command-name>\n<command-args>222 --long</command-args>";
  const { sources } = sourcesOf([user(noted)]);
  expect(sources.map(({ kind, text }) => `${kind} ${text.trim()}`)).toEqual(["block /review-pull", "block 222 --long"]);
});

it.each([
  "Another language model started to solve this problem and produced a summary of its thinking process. Use this to build on it:",
  "The conversation history before this point was compacted into the following summary:\n\n<summary>",
  "Here is a summary of the conversation to date:",
  "<state_snapshot>",
])("what binds in a client's summary could not be verified: %s", (opening) => {
  const lines = linesOf(
    `${opening}\n## Goal\nAn export of all invoices\n## Constraints\n- Never write to the live database.`,
  );
  expect(lines.rules).toEqual([]);
  expect(lines.unverified).toEqual(["Never write to the live database."]);
  expect(lines.user).toEqual([]);
  expect(lines.state).toContain("task: An export of all invoices");
  expect(lines.state.join("\n")).not.toContain("request");
});

it("a user who asks for a summary, or speaks of a session, is the user", () => {
  const lines = linesOf("Summarize the conversation so far. Never write to the live database.");
  expect(lines.rules).toEqual(["Never write to the live database."]);
});

it("what stands between the shell prompts that a user pasted is output, not what the user said", () => {
  const { rules, state } = linesOf(
    `Any idea why this fails?
mia@mac web % npm run build
All settings here apply to every project unless overridden.

You must never see this line.
mia@mac web % echo $TERM
Never touch the lock file.

$ make
The target must be built first.
$ make all
Always keep the old name.`,
  );
  expect(rules).toEqual(["Never touch the lock file.", "Always keep the old name."]);
  expect(state[0]).toBe("task: Any idea why this fails? Never touch the lock file. Always keep the old name.");
});

it("between commands in paragraphs of their own the user speaks", () => {
  const { rules } = linesOf("First run\n$ npm install\n\nNever touch the lock file.\n\n$ npm test");
  expect(rules).toEqual(["Never touch the lock file."]);
});

it("empty lines and fences around nothing, however many, are nothing to read", () => {
  const words = `Look at this.${"\n".repeat(10_000)}And at that.`;
  expect(sourcesOf([user(words)]).sources.map(({ text }) => text)).toEqual(["Look at this.\n\nAnd at that."]);
  expect(sourcesOf([user("```\n".repeat(10_000)), assistant("\n```".repeat(10_000))]).sources).toEqual([]);
});

it("four million lines that begin as a shell's do are output", () => {
  const { sources } = sourcesOf([user("$ l\n".repeat(4_000_000))]);
  expect(sources.every(({ kind }) => kind === "block")).toBe(true);
});

it("an earlier digest may have more lines than fit on the stack", () => {
  const previous = `What the user said, word for word:${"\n- Yes.".repeat(300_000)}`;
  expect(sourcesOf([], { previous }).carried.user).toHaveLength(300_000);
});

describe("a page that an agent without tools printed as its own words", () => {
  const hits = Array.from(
    { length: 18 },
    (_, at) =>
      `${at + 1}. [Harbour guide, part ${at + 1}](https://harbour.example.org/guide/part-${at + 1})\nThe ferry of pier ${at + 3} leaves at noon, says this part. It is closed in winter and costs less on Sundays.`,
  ).join("\n\n");
  const plan = assistant("I look for the ferries first.");
  const kindsOf = (text: string, before = plan) =>
    sourcesOf([before, assistant(text)])
      .sources.map(({ kind }) => kind)
      .slice(1);

  it("is output, not what the assistant said", () => {
    expect(kindsOf(`Search for ferries\n\n${hits}`)).toEqual(["block"]);
    const { lines } = digest(
      [user("When does the ferry go?"), plan, assistant(hits), assistant("I compare the piers next.")],
      {
        counter: getCounter("gpt-4o"),
        maxTokens: 600,
      },
    );
    const last = lines.state.find((line) => line.startsWith("last said"));
    expect(last).toMatch(/I compare the piers next\.$/);
    expect(last).not.toContain("says this part");
  });

  it("a long report with a few links is what the assistant said, and so is a short list of links", () => {
    const report = "The ferry leaves at noon and costs less on Sundays. ".repeat(60);
    expect(
      kindsOf(`${report}See [the guide](https://harbour.example.org) and [its map](https://map.example.org).`),
    ).toEqual(["text"]);
    expect(kindsOf(hits.slice(0, 1500))).toEqual(["text"]);
  });

  it("an answer to the user is what the assistant said, however many links it has", () => {
    expect(kindsOf(hits, user("Which ferries are there?"))).toEqual(["text"]);
  });
});

it("code is quoted without its fence: in a summary shown as Markdown the rest of the note was code", () => {
  const text =
    "The model, in short:\n\n```python\nclass Title:\n    slug_field = Slug(200)\n```\n\nNobody can delete it.";
  const { sources } = sourcesOf([{ role: "assistant", parts: [{ type: "text", text }] }]);
  expect(sources.map(({ kind, text }) => [kind, text.trim()])).toEqual([
    ["text", "The model, in short:"],
    ["block", "class Title:\n    slug_field = Slug(200)"],
    ["text", "Nobody can delete it."],
  ]);
});
