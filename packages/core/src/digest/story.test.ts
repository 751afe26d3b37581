import { describe, expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { assistant, call, result, user } from "./arbitrary-messages.test-data.ts";
import { digest } from "./digest.ts";
import { sourcesOf } from "./sources.ts";
import { findStory } from "./story.ts";

const storyOf = (messages: readonly Message[], carried: readonly string[] = []) =>
  findStory(sourcesOf(messages).sources, carried);

const work = (id: string) => [call(id, "bash", { command: `make part-${id}` }), result(id, "ok")];

it("tells what the report on each request opens with, past titles and what says nothing", () => {
  const story = storyOf([
    user("Build part one."),
    ...work("1"),
    assistant("Let me look at the output of the build first."),
    ...work("2"),
    assistant("## Result\nDone!\nPart one is built and all nine checks pass. Anything else can wait."),
    user("Now part two."),
    ...work("3"),
    assistant("Shall I go on with the second half of part two?\n- a list entry that is not a sentence of its own"),
    user("Yes."),
    ...work("4"),
    assistant("Part two is built as well, the newest report is told elsewhere."),
  ]);
  expect(story).toEqual([
    "reported: Part one is built and all nine checks pass. Anything else can wait.",
    "answered: Shall I go on with the second half of part two? – Yes.",
  ]);
});

it("an answer for which no tool was called is no report", () => {
  const asked = user("What is a lease?");
  const said = [assistant("A lease is a lock that ends by itself."), user("Thank you.")];
  expect(storyOf([...work("1"), asked, ...said])).toEqual([]);
  expect(storyOf([asked, ...work("1"), ...said])).toEqual(["reported: A lease is a lock that ends by itself."]);
});

it("work that the user interrupts is not reported on, and titles report nothing", () => {
  const asked = user("Build part one, and then all the others.");
  const interrupted = [asked, assistant("There are many errors in the parts."), ...work("1"), user("Stop it.")];
  expect(storyOf(interrupted)).toEqual([]);
  const titles = "**Agent Event Handling**\n**Light theme of the page:**\nBoth parts are built. ";
  expect(storyOf([asked, ...work("1"), assistant(titles), user("Thanks.")])).toEqual([
    "reported: Both parts are built.",
  ]);
});

it("tells what the user answered to a question of the assistant", () => {
  const asks = assistant("I found two ways. Want me to run the probe first (option 1)? I can start right now.");
  expect(storyOf([user("Look."), asks, user("sure, run the probe")])).toEqual([
    "answered: Want me to run the probe first (option 1)? – sure, run the probe",
  ]);
  expect(storyOf([user("Look."), asks, user("[Request interrupted by user]"), user("go")])).toEqual([
    "answered: Want me to run the probe first (option 1)? – go",
  ]);
  expect(storyOf([user("Look."), asks, user("What would the other one cost?")])).toEqual([]);
});

it("a question that points back stands with what it points to", () => {
  const asks = assistant(
    "All parts move but the old store. I would leave that one where it is. Shall I go on with these moves?",
  );
  expect(storyOf([user("Look."), asks, user("can leave it")])).toEqual([
    "answered: I would leave that one where it is. Shall I go on with these moves? – can leave it",
  ]);
  expect(storyOf([user("Look."), asks, user("Thanks.")])).toEqual([]);
});

it("tells what the user answered when a tool asked, and nothing where the question was refused", () => {
  const asks = call("1", "AskUserQuestion", { questions: [{ question: "Which library should we use?" }] });
  const answer = result("1", 'User has answered: "Which library should we use?"="date-fns".');
  expect(storyOf([user("Look."), asks, answer])).toEqual([
    'answered: AskUserQuestion: User has answered: "Which library should we use?"="date-fns".',
  ]);
  expect(storyOf([user("Look."), asks, result("1", "The user doesn't want to proceed.")])).toEqual([]);
});

it("a report goes on until it says enough", () => {
  const report = "The experiment is conclusive. Resuming from the transcript alone does not work in `agy` 1.1.3.";
  expect(storyOf([user("Try it."), ...work("1"), assistant(report), user("Thanks.")])).toEqual([`reported: ${report}`]);
});

it("a report that only says that all is well is told by what follows; a title that opens a list stands with its entries", () => {
  const reported = (text: string) => storyOf([user("Do it."), ...work("1"), assistant(text), user("Thanks.")])[0];
  expect(reported("All tests pass, linter clean.\n\nHere's what changed:\n- **Removed** the call from `load()`.")).toBe(
    "reported: **Removed** the call from `load()`.",
  );
  expect(reported("Done! Updated the dark theme with your colours:\n- accent: #8ab\n- green: #b5b")).toBe(
    "reported: Updated the dark theme with your colours: - accent: #8ab - green: #b5b",
  );
  expect(reported("Now I have a complete picture.")).toBeUndefined();
  expect(reported(`Fixed the ${"very ".repeat(60)}long bug.`)).toMatch(/very …$/);
});

it("tells the steps of the request in hand by how the assistant announced them, and of no other request", () => {
  const messages = [
    user("Build both parts."),
    assistant("Store layer done. Now the reindex:"),
    ...work("1"),
    assistant("Now add the hotkey to the list:"),
    ...work("2"),
    assistant("Next the confirmation."),
    ...work("3"),
  ];
  // The newest is told as the assistant's last words.
  const steps = ["step: Store layer done.", "step: Now add the hotkey to the list"];
  expect(storyOf(messages)).toEqual(steps);
  expect(storyOf([assistant("Going on with the list."), ...work("4")], steps)).toEqual(steps);
  const reported = assistant("Both parts are built and confirmed.");
  expect(storyOf([...messages, reported, user("And now?"), assistant("Now this."), ...work("4")], steps)).toEqual([
    "reported: Both parts are built and confirmed.",
  ]);
});

it("a step is the sentence that tells most of how the assistant begins, not that it has what it needs", () => {
  const messages = [
    user("Build both parts."),
    assistant("I have the full picture now. The cache of `index.ts` is never emptied. Let me change that."),
    ...work("1"),
    assistant("I have it all."),
    ...work("2"),
    assistant("Next the confirmation."),
    ...work("3"),
  ];
  expect(storyOf(messages)).toEqual(["step: The cache of `index.ts` is never emptied."]);
});

it("tells what failed and which file was changed before it worked", () => {
  const failed = [call("1", "bash", { command: "make" }), result("1", "Error: missing semicolon in line 4")];
  const mended = [call("3", "bash", { command: "make" }), result("3", "built")];
  const change = [call("2", "edit_file", { path: "src/a.c" }), result("2", "changed")];
  expect(storyOf([...failed, ...change, ...mended])).toEqual([
    "mended: make: Error: missing semicolon in line 4; worked after src/a.c was changed",
  ]);
  expect(storyOf([...failed, ...mended])).toEqual([]);
  const edit = (id: string) => call(id, "str_replace_editor", { command: "str_replace", path: "src/a.c" });
  const show = call("5", "str_replace_editor", { command: "view", path: "src/a.c" });
  // Shown is not changed, and an edit does not mend itself.
  expect(
    storyOf([edit("4"), result("4", "ERROR:\nNo match."), show, result("5", "text"), edit("6"), result("6", "ok")]),
  ).toEqual([]);
  expect(storyOf([...failed, ...change])).toEqual([]);
});

it("carries on what earlier digests told, once", () => {
  const messages = [user("Go."), ...work("1"), assistant("Part one is built and checked."), user("Good.")];
  const earlier = [
    "mended: make: Error 4; worked after a.c was changed",
    "files read: a.c",
    "reported: Part one is built and checked.",
  ];
  expect(storyOf(messages, earlier)).toEqual([earlier[0], earlier[2]]);
});

it("a digest with room tells the story through several folds; the newest where not all fits", () => {
  const counter = getCounter("gpt-4o");
  const reports = (first: number, last: number) =>
    Array.from({ length: last - first }, (_, i) => [
      user(`Build part ${first + i}, please, and tell me how it went.`),
      ...work(`w${first + i}`),
      assistant(`Part ${first + i} is built, and all of its checks pass on the second machine too.`),
    ]).flat();
  const maxTokens = 1600;
  const once = digest([...reports(0, 60), user("Next.")], { counter, maxTokens });
  const told = once.lines.state.filter((line) => line.startsWith("reported: "));
  expect(told.length).toBeGreaterThanOrEqual(4);
  expect(told.at(-1)).toContain("Part 59 is built");
  expect(told.length).toBeLessThan(20);
  const again = digest([...reports(60, 62), user("Next.")], { counter, maxTokens, previous: once.text });
  expect(
    again.lines.state.filter((line) => line.startsWith("reported: ")).map((line) => /Part (\d+)/.exec(line)?.[1]),
  ).toEqual(expect.arrayContaining(["59", "60", "61"]));
  expect(digest(reports(0, 60), { counter, maxTokens: 1000 }).lines.state.join()).not.toContain("reported: ");
});

it("what does not answer a question of the assistant is not told as the answer", () => {
  const asks = assistant("Phase one is done. Want me to go on with the converter?");
  for (const said of ["Show me the remaining phases again.", "Fix 68 first", "how do we set it? all I see is getters"])
    expect(storyOf([user("Look."), asks, user(said)])).toEqual([]);
  for (const said of ["ok, make a branch for it", "proceed", "да, начинай с первой части", "好，开始做转换器"])
    expect(storyOf([user("Look."), asks, user(said)])).toEqual([
      `answered: Want me to go on with the converter? – ${said}`,
    ]);
});

describe("a decision of the user", () => {
  const asks = assistant(
    "Two ways:\n\n1. **Ask the provider** for what it can do, in seven small changes.\n2. **Guess it** from the name; the smallest diff.\n\nWant me to go with option 1?",
  );
  const told = (...said: string[]) => said.flatMap((text) => storyOf([user("Look."), asks, user(text)]));

  it("stands with the option that it names, and with the reason that follows", () => {
    const [first, second] = told(
      "Go with option 1. Clean up the probe.",
      "Let's go with option 2, since it is easy to undo.\n\nThe names are ours anyway and nobody else reads them, whatever the docs say about it.\nIt also must be small because the release is on Friday.\nThen look at the tests, please.",
    );
    expect(first).toBe(
      "answered: **Ask the provider** for what it can do, in seven small changes. – Go with option 1. Clean up the probe.",
    );
    expect(second).toBe(
      "answered: **Guess it** from the name; the smallest diff. – Let's go with option 2, since it is easy to undo. It also must be small because the release is on Friday.",
    );
    expect(told("2, weil es kleiner ist")).toEqual([
      "answered: **Guess it** from the name; the smallest diff. – 2, weil es kleiner ist",
    ]);
  });

  it("takes up the words of the question, also without a yes", () => {
    const both = assistant("The names and the dates are wrong. Want me to mend both the names and the dates?");
    expect(storyOf([user("Look."), both, user("mend the names")])).toEqual([
      "answered: Want me to mend both the names and the dates? – mend the names",
    ]);
  });

  it.each([
    "also, rename the flag in the parser",
    "then, one more thing: the port is 8431",
    "wow, everything works",
    "Got it.\n\nHow about this one? The parser reads the whole file before it says anything, which takes seconds in large folders.",
    "2. The message must say which project it is about.",
  ])("is not what only goes on or wonders: %s", (text) => {
    expect(told(text)).toEqual([]);
  });

  it("is not an ok to a question with two sides", () => {
    const either = assistant("Part one is done. Would you like me to go on with part two, or test this first?");
    expect(storyOf([user("Look."), either, user("ok, i hope you still know what this is about")])).toEqual([]);
  });
});

it("a report is a whole sentence: no title with its files, no row of a table, nothing that is only announced", () => {
  const report =
    "**Store** (`src/store.ts`, `src/index.ts`)\n→ 5 turns | `8f90` |\nLet me sum it up.\nThe store is split in two.";
  expect(storyOf([user("Split it."), ...work("1"), assistant(report), user("Thanks.")])).toEqual([
    "reported: The store is split in two.",
  ]);
});

it("says why a command failed, not only that it ended with a code", () => {
  const failed = result("1", "checking\nsrc/a.ts(3,4): error TS2305: no member 'b'\n\nCommand exited with code 2");
  const change = [call("2", "edit_file", { path: "src/a.ts" }), result("2", "changed")];
  const run = (id: string) => call(id, "bash", { command: "cd /repo && npm run check" });
  expect(storyOf([run("1"), failed, ...change, run("3"), result("3", "ok")])).toEqual([
    "mended: npm run check: src/a.ts(3,4): error TS2305: no member 'b'; worked after src/a.ts was changed",
  ]);
});

it("a message that stays beside the note begins the request in hand", () => {
  const messages = [
    user("Review it."),
    ...work("1"),
    assistant("The review found two problems in the store."),
    // Here the user's newest message was: it is kept as it is.
    assistant("Reading the store first."),
    ...work("2"),
    assistant("Now the second part."),
    ...work("3"),
  ];
  const places = [0, 1, 2, 3, 5, 6, 7, 8, 9, 10];
  expect(findStory(sourcesOf(messages, { places }).sources, [])).toEqual([
    "reported: The review found two problems in the store. [m3]",
    "step: Reading the store first. [m5]",
  ]);
});
