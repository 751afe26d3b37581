import { expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { fitState } from "./fit-lines.ts";
import { shortRequest } from "./requests.ts";
import { sourcesOf } from "./sources.ts";
import { findState, type StateLine } from "./state.ts";

const call = (...commands: (readonly [id: string, command: string])[]): Message => ({
  role: "assistant",
  parts: commands.map(([id, command]) => ({
    type: "tool-call",
    id,
    name: "Bash",
    input: JSON.stringify({ command }),
  })),
});
const result = (callId: string, text: string, isError = false): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, content: [{ type: "text", text }], isError }],
});
const stateOf = (messages: readonly Message[], carried: readonly string[] = []) =>
  Object.fromEntries(findState(sourcesOf(messages).sources, carried).map(({ kind, text }) => [kind, text]));

it("names the commands that worked, not those that failed or only look around", () => {
  const state = stateOf([
    call(["a", "cd /repo && npm run build"], ["b", "go test ./..."], ["c", "ls -la"]),
    result("b", "FAIL pkg/cmd: exit status 1", true),
    result("a", "done in 3 s"),
    result("c", "main.go"),
    call(["d", "make deploy"]),
    result("d", "deployed"),
  ]);
  expect(state["commands that worked"]).toBe("npm run build; make deploy");
  expect(state.failed).toContain("go test ./...");
});

it("a command that fails later is no longer one that works, and one that works later no longer failed", () => {
  const state = stateOf([
    call(["a", "npm test"]),
    result("a", "Error: 2 tests failed", true),
    call(["b", "npm run lint"]),
    result("b", "clean"),
    call(["c", "npm test"]),
    result("c", "all passed"),
    call(["d", "npm run lint"]),
    result("d", "error: 3 problems", true),
  ]);
  expect(state["commands that worked"]).toBe("npm test");
  expect(state.failed).toContain("npm run lint");
  expect(state.failed).not.toContain("npm test");
});

it("carries commands on from an earlier digest, the newest last", () => {
  const state = stateOf([call(["a", "npm test"]), result("a", "ok")], ["commands that worked: make; npm run build"]);
  expect(state["commands that worked"]).toBe("make; npm run build; npm test");
});

it("an operation of an editor is no command to run", () => {
  const edit: Message = {
    role: "assistant",
    parts: [
      { type: "tool-call", id: "a", name: "editor", input: JSON.stringify({ command: "view", path: "/src/a.c" }) },
    ],
  };
  expect(stateOf([edit, result("a", "int main() {}")])["commands that worked"]).toBeUndefined();
  expect(stateOf([call(["b", "make"]), result("b", "done")])["commands that worked"]).toBe("make");
});

it("the end of a tag in a result is no file", () => {
  const write: Message = { role: "assistant", parts: [{ type: "tool-call", id: "a", name: "Write", input: "{}" }] };
  expect(stateOf([write, result("a", "<tool_use_error>String not found</tool_use_error>")])["files changed"]).toBe(
    undefined,
  );
  expect(stateOf([write, result("a", "The file /src/a.ts was updated")])["files changed"]).toBe("/src/a.ts");
});

it("the last words of the assistant are sentences, not rows of a table", () => {
  const said: Message = {
    role: "assistant",
    parts: [
      {
        type: "text",
        text: "Both parts are built. Next I measure them.\n\n| part | ms |\n| --- | --- |\n| one | 12 |",
      },
    ],
  };
  expect(stateOf([said])["last said by the assistant"]).toBe("Both parts are built. Next I measure them.");
});

const edit = (id: string, input: unknown, name = "str_replace_editor"): Message => ({
  role: "assistant",
  parts: [{ type: "tool-call", id, name, input: typeof input === "string" ? input : JSON.stringify(input) }],
});

it("files changed are those that an edit really changed: not what was only shown, nor what failed", () => {
  const state = stateOf([
    edit("a", { command: "view", path: "/src/shown.c" }),
    result("a", "int main() {}"),
    edit("b", { command: "str_replace", path: "/src/failed.c" }),
    result("b", "ERROR: Parameter `old_str` is required"),
    edit("c", { command: "create", path: "/src/made.c" }),
    result("c", "File created successfully at: /src/made.c"),
  ]);
  expect(state["files changed"]).toBe("/src/made.c");
  expect(state["files read"]).toBe("/src/shown.c");
});

it("where the arguments do not name the file, the result does, also for calls made side by side", () => {
  const state = stateOf([
    edit("a", 'package spi\nimport "github.com/acme/tool/pkg/spi"', "Write"),
    edit("b", "{}", "Edit"),
    result("a", "File created successfully at: /src/reconstruct.go"),
    result("b", "The file /src/store.go has been updated."),
  ]);
  expect(state["files changed"]).toBe("/src/reconstruct.go, /src/store.go");
});

it("a file that is spelled in several ways is one file, and one that was changed is not told among those read", () => {
  const view = (id: string, path: string) => [edit(id, { path }, "Read"), result(id, "text")];
  const state = stateOf([
    ...view("a", "./src/a.ts"),
    ...view("b", "src/b.ts"),
    ...view("c", "./other/a.ts"),
    edit("d", { path: "src/a.ts" }, "Edit"),
    result("d", "ok"),
    edit("e", { path: "/repo/src/a.ts" }, "Edit"),
    result("e", "ok"),
    ...view("f", "/repo/src/b.ts"),
    ...view("g", "b.ts"),
    ...view("h", "./b.ts"),
  ]);
  expect(state["files changed"]).toBe("/repo/src/a.ts");
  expect(state["files read"]).toBe("./other/a.ts, /repo/src/b.ts, ./b.ts");
});

it("names the folder of many files once; a later digest knows their whole names", () => {
  const write = (id: string, path: string) => [edit(id, { path }, "Write"), result(id, "ok")];
  const root = "/home/mia/projects/invoices";
  const names = ["src/a.ts", "docs/b.md", "src/c.ts", ..."defghijk".split("").map((name) => `src/${name}.ts`)];
  const first = stateOf([...write("x", "/tmp/x.sed"), ...names.flatMap((name) => write(name, `${root}/${name}`))])[
    "files changed"
  ];
  // The newest eight stand as a tool takes them.
  const newest = names.slice(3).map((name) => `${root}/${name}`);
  expect(first).toBe(`/tmp/x.sed, …/src/a.ts, …/docs/b.md, …/src/c.ts, ${newest.join(", ")} (… is ${root})`);
  const again = stateOf(write("a", `${root}/src/a.ts`), [`files changed: ${first}`])["files changed"];
  expect(again).toBe(
    `/tmp/x.sed, …/docs/b.md, …/src/c.ts, …/src/d.ts, ${newest.slice(1).join(", ")}, ${root}/src/a.ts (… is ${root})`,
  );
});

it("a file at the top of the project is the same file under its whole name, once the project's folder is known", () => {
  const state = stateOf([
    ...["./main.go", "./pkg/a.go", "./go.mod"].flatMap((path) => [edit(path, { path }, "Read"), result(path, "text")]),
    ...["/repo/pkg/a.go", "/repo/main.go"].flatMap((path) => [edit(path, { path }, "Edit"), result(path, "ok")]),
  ]);
  expect(state["files changed"]).toBe("/repo/pkg/a.go, /repo/main.go");
  expect(state["files read"]).toBe("./go.mod");
});

it("files that were renamed or removed are told as such, in later digests too", () => {
  const write = (id: string, path: string) => [edit(id, { path }, "Write"), result(id, "ok")];
  const first = stateOf([
    ...["a.ts", "b.ts", "tools/c.ts", "tools/d.ts", "e.ts"].flatMap((name) => write(name, `/repo/src/${name}`)),
    edit("r", { path: "./src/main.ts" }, "Read"),
    result("r", "text"),
    call(["m", "cd /repo && git mv src/a.ts src/new.ts && rm src/b.ts\nmv src/tools src/core/"], ["n", "rm src/e.ts"]),
    result("m", "done"),
    result("n", "rm: cannot remove 'src/e.ts'", true),
    call(["o", "rm src/main.ts src/unknown.ts"]),
    result("o", ""),
    ...write("again", "src/b.ts"),
  ]);
  expect(first["files changed"]).toBe(
    "/repo/src/e.ts, /repo/src/new.ts, /repo/src/core/tools/c.ts, /repo/src/core/tools/d.ts, src/b.ts",
  );
  expect(first["files removed or renamed"]).toBe(
    "/repo/src/a.ts, /repo/src/tools/c.ts, /repo/src/tools/d.ts, ./src/main.ts",
  );
  expect(first["files read"]).toBeUndefined();
  const carried = Object.entries(first).map(([kind, text]) => `${kind}: ${text}`);
  const later = stateOf(
    [...write("back", "/repo/src/tools/c.ts"), call(["p", "rm src/new.ts"]), result("p", "")],
    carried,
  );
  expect(later["files changed"]).not.toContain("new.ts");
  expect(later["files removed or renamed"]).toBe(
    "/repo/src/a.ts, /repo/src/tools/d.ts, ./src/main.ts, /repo/src/new.ts",
  );
});

it("a failure from before the user spoke again is no news once its tool has worked since", () => {
  const failed = [call(["a", "go test ./..."]), result("a", "FAIL pkg/cmd: exit status 1", true)];
  const asked: Message = { role: "user", parts: [{ type: "text", text: "Now remove the renderers, please." }] };
  const worked = [call(["b", "go vet ./..."]), result("b", "ok")];
  expect(stateOf([...failed, ...worked]).failed).toContain("go test");
  expect(stateOf([...failed, asked]).failed).toContain("go test");
  expect(stateOf([...failed, ...worked, asked]).failed).toBeUndefined();
  expect(stateOf([asked], ["failed: Bash go test: FAIL"]).failed).toBeUndefined();
  expect(stateOf(worked, ["failed: Bash go test: FAIL"]).failed).toBe("Bash go test: FAIL");
});

const asked = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

it("the task is what a long message asks for, not how it begins; what stands around pasted text is one request", () => {
  const facts = ["title: Portable sessions", "author: mia", "reviewers: none yet", "additions: 462116"].join("\n");
  const more = "The numbers in it are those of yesterday, and nobody has looked at them since. ".repeat(3);
  const message = `## Context\n${facts}\n${more}\n\`\`\`\nexit 1\n\`\`\`\n## Your task\nPlease review the change line by line.`;
  const state = stateOf([asked(message)]);
  expect(state.task).toContain("Please review the change line by line.");
  expect(state.task).not.toMatch(/author|## Context|numbers/);
  expect(state["newest request in these notes"]).toBeUndefined();
});

it.each([
  [
    "Hi there! My phone has no data abroad since I came here. Nothing I tried so far did help. Can you fix this?",
    60,
    "My phone has no data abroad since I came here.",
  ],
  [
    `Implement the following plan:\n\n# Plan: templates, a debug flag, time zones\n\n## Context\n${"It is long and has many parts. ".repeat(9)}`,
    240,
    "Implement the following plan: # Plan: templates, a debug flag, time zones",
  ],
  [
    "I want the report of the third quarter sorted by country and then by city",
    40,
    "I want the report of the third quarter …",
  ],
  [
    `Index row (meaning... keep the row but flag it as removed). ${"It is long and has many parts. ".repeat(9)}`,
    80,
    "Index row (meaning... keep the row but flag it as removed).",
  ],
  ["请".repeat(90), 40, `${"请".repeat(40)} …`],
  ["Hello!\n[Request interrupted by user]\n## Title", 240, ""],
])("a request in few words: %s", (text, most, short) => {
  expect(shortRequest(text, most)).toBe(short);
});

it("what the assistant said before the newest request is no next step; a short answer stands with its question", () => {
  const said = (text: string): Message => ({ role: "assistant", parts: [{ type: "text", text }] });
  const messages = [asked("Move the renderers, please."), said("I moved all but one. Shall I move the last one too?")];
  expect(stateOf(messages)["last said by the assistant"]).toBe("I moved all but one. Shall I move the last one too?");
  const state = stateOf([...messages, asked("can leave it")]);
  expect(state["last said by the assistant"]).toBeUndefined();
  expect(state["newest request in these notes"]).toBe("Shall I move the last one too? – can leave it");
  const later = stateOf([asked("And now the docs, please.")], ["last said by the assistant: Shall I?"]);
  expect(later["last said by the assistant"]).toBeUndefined();
});

it("an editor that answers in capitals that it could not do it has failed", () => {
  const failed = result("a", "ERROR: No replacement was performed, old_str did not appear");
  expect(stateOf([edit("a", { command: "str_replace", path: "/src/a.c" }), failed]).failed).toContain(
    "ERROR: No replacement was performed",
  );
});

it("reads the plan off tasks that are made and updated one by one", () => {
  const task = (id: string, input: unknown, answer: string) => [edit(id, input, "TaskUpdate"), result(id, answer)];
  const made = (number: number, subject: string) =>
    task(`m${number}`, { subject, description: "…" }, `Task #${number} created successfully: ${subject}`);
  const set = (number: number, status: string) =>
    task(`s${number}${status}`, { taskId: `${number}`, status }, `Updated task #${number} status`);
  const start = [...made(1, "Read it"), ...made(2, "Write it"), ...made(3, "Test it"), ...made(4, "Drop it")];
  const state = stateOf([
    ...start,
    ...set(1, "in_progress"),
    ...set(1, "completed"),
    ...set(2, "in_progress"),
    ...set(4, "deleted"),
  ]);
  expect(state.plan).toBe("done: #1 Read it. in progress: #2 Write it. open: #3 Test it");
  expect(stateOf(set(2, "completed"), [`plan: ${state.plan}`]).plan).toBe(
    "done: #1 Read it; #2 Write it. open: #3 Test it",
  );
  expect(stateOf([], [`plan: ${state.plan}`]).plan).toBe(state.plan);
});

it("takes the task from notes that call it the first request", () => {
  expect(stateOf([asked("And now the second part of it.")], ["first request: Build both parts."])).toEqual({
    task: "Build both parts.",
    "newest request in these notes": "And now the second part of it.",
  });
});

it("where the assistant only says what it does next, the newest sentence that tells something stands before it", () => {
  const said = (text: string): Message => ({ role: "assistant", parts: [{ type: "text", text }] });
  const messages = [
    said("The index is built and warm. Let me look at the tests:"),
    said("Now let me check the other half:"),
  ];
  expect(stateOf(messages)["last said by the assistant"]).toBe(
    "The index is built and warm. … Now let me check the other half:",
  );
});

it("a command is told without what only shortens its output, and not where the shortened output shows an error", () => {
  const state = stateOf([
    call(["a", "cd /repo && npm run check 2>&1 | head -40"], ["b", "npm test 2>&1 | tail -5"], ["c", "mv a.ts b.ts"]),
    result("a", "all good"),
    result("b", "src/a.ts(3,4): error TS2305: no such member"),
    result("c", ""),
    call(["d", "npm run check | tail -3"], ["e", 'npm run "all of it"']),
    result("d", "all good"),
    result("e", "ok"),
  ]);
  expect(state["commands that worked"]).toBe('npm run check; npm run "all of it"');
});

it("a task that was set to a status we are not shown is not told as open", () => {
  const made = (number: number) => [
    edit(`m${number}`, { subject: `Part ${number}` }, "TaskCreate"),
    result(`m${number}`, `Task #${number} created successfully: Part ${number}`),
  ];
  const set = [edit("s", "", "TaskUpdate"), result("s", "Updated task #1 status")];
  expect(stateOf([...made(1), ...made(2), ...set]).plan).toBe("open: #2 Part 2");
});

it("a word such as lets in a pasted remark does not make it the request; a request that says nothing goes on with it", () => {
  const remark = "Adding these types here lets the code stay aware of them when several calls are still pending.";
  expect(shortRequest(`How about this one?\n\n${remark} ${remark} ${remark}`, 240)).toBe(
    `How about this one? ${remark}`,
  );
});

it("a request is told by what it is about: the line behind a tag of its own, and what asks the reader", () => {
  const issue = `<upload>\n/work/acme\n</upload>\nI uploaded a repository.\n<issue>\nThe parser drops the last row of a table\nI do not know why it happens yet. ${"It worked before the last release of the tool. ".repeat(5)}\n</issue>\nCan you help me change it so that the issue is solved?`;
  expect(shortRequest(issue, 240)).toBe(
    "The parser drops the last row of a table … Can you help me change it so that the issue is solved?",
  );
});

it("cuts the sentence that asks rather than telling the polite one beside it", () => {
  const asks = `Which of the bridges over the river were built before 1900 and ${"are still open to cars and ".repeat(6)}buses?`;
  expect(shortRequest(`${asks} Please solve it carefully.`, 120)).toMatch(/^Which of the bridges .* …$/);
});

const says = (role: "user" | "assistant", text: string): Message => ({ role, parts: [{ type: "text", text }] });

it("where agents talk to each other the task is what the first message states, and what a program printed is no request", () => {
  const state = stateOf([
    says("assistant", "Planner: You are given a task.\n\n# General task\nWhich ferry is the last one on Sundays?"),
    says("assistant", "Searcher: I look for the timetable first."),
    says("user", "Runner: exitcode: 1 (execution failed)\nPlease note that the harbour must be open."),
  ]);
  expect(state.task).toContain("Which ferry is the last one on Sundays?");
  expect(state["newest request in these notes"]).toBeUndefined();
  expect(
    stateOf([says("assistant", "Hello! How can I help you today?"), says("user", "Hi, I lost my key.")]).task,
  ).toBe("Hi, I lost my key.");
});

it("a failure says in which file and why, not only that there was one", () => {
  const state = stateOf([
    edit("a", { command: "str_replace", path: "/src/a.c" }),
    result("a", "ERROR:\nNo replacement was made: the text to replace stands there twice."),
    call(["b", "python run.py"]),
    result("b", `Traceback (most recent call last):\n  File "run.py", line 3\nValueError: no such row\n`),
  ]);
  expect(state.failed).toBe(
    "str_replace src/a.c: ERROR: No replacement was made: the text to replace stands there twice.; " +
      "python run.py: Traceback (most recent call last): ValueError: no such row",
  );
});

it("a search that found nothing has not failed, nor has a listing cut inside a word", () => {
  const listing = `${"const line = 1;\n".repeat(80)}if (it is SyntaxError => se) {\n${"x".repeat(780)}`;
  const state = stateOf([
    call(["a", "cd /repo && grep -rn 'token' src"], ["b", "cat a.ts"], ["c", "ls | grep -c old"], ["d", "make check"]),
    result("a", "(no output)\n\nCommand exited with code 1", true),
    result("b", listing),
    result("c", "Exit code 1", true),
    result("d", "Exit code 1", true),
  ]);
  expect(state.failed).toBe("make check: Exit code 1");
});

it("the last words have less room than all of them: they end with the question that is answered next", () => {
  const counter = getCounter("gpt-4o");
  const text = `${"There are many things to say of the booking. ".repeat(4)}Shall I move it to Friday?`;
  const lines: StateLine[] = [
    { kind: "task", text: "Move my booking." },
    { kind: "last said by the assistant", text },
  ];
  expect(fitState(lines, 480, false, counter)[1]?.text).toMatch(/^There are .* Shall I move it to Friday\?$/);
  expect(fitState(lines, 450, false, counter)[1]?.text.length).toBeLessThan(text.length);
  expect(fitState(lines, 140, true, counter)).toHaveLength(1);
});

it("in a note of a few hundred tokens the task takes a twelfth, and ten words of it a little more", () => {
  const counter = getCounter("gpt-4o");
  const first = "Please move the login page to the new session store.";
  const text = `${first} ${"It has to keep every user signed in while that is done, and the old store stays. ".repeat(2)}`;
  const told = (room: number) => fitState([{ kind: "task", text }], room, true, counter)[0]?.text ?? "";
  expect(told(150)).toContain(first);
  for (const room of [150, 200, 250, 299])
    expect(counter.count(told(room)) + 5).toBeLessThanOrEqual(Math.max(18, room / 12) * 1.2);
});

it("a sentence that is hardly too long for the task is told whole", () => {
  const counter = getCounter("gpt-4o");
  const text = `I need to book a one-way trip from Lisbon to Tartu on May 20. ${"It is for two of us, with a dog. ".repeat(6)}`;
  expect(fitState([{ kind: "task", text }], 240, true, counter)[0]?.text).toBe(
    "I need to book a one-way trip from Lisbon to Tartu on May 20.",
  );
});

it("what failed has room beside the assistant's last words", () => {
  const failed: StateLine = { kind: "failed", text: "make check: Error: the port is taken" };
  const lines: StateLine[] = [
    { kind: "task", text: "Please move the login page to the new session store. It must not sign anybody out." },
    { kind: "last said by the assistant", text: "The page is moved, and the store has a test of its own by now." },
    failed,
  ];
  expect(fitState(lines, 500, false, getCounter("gpt-4o"))).toContainEqual(failed);
});

it("the last words are no row of brackets", () => {
  const said: Message = {
    role: "assistant",
    parts: [{ type: "text", text: "I looked at both of the bookings.\n```\n] }\n```\n] } ] } ] } ] }" }],
  };
  expect(stateOf([said])["last said by the assistant"]).toMatch(/both of the bookings\.$/);
});

it("a task is told by the title that a sentence points ahead to", () => {
  const rest = "It happens with every file of mine, and with those of my colleagues too. ".repeat(4);
  const pasted = `We're working on the following issue within our project. Here is its text:\nISSUE:\nTotals are wrong in the summary\n${rest}\nPlease think about what has to be installed before you run it.`;
  expect(shortRequest(pasted, 70)).toBe("Totals are wrong in the summary");
  expect(shortRequest(pasted, 240)).not.toContain("the following");
  const twice = pasted.replace("Please", "Totals are wrong in the summary\nPlease");
  expect(shortRequest(twice, 70)).toBe("Totals are wrong in the summary");
  const puzzle = `We solve the following puzzle. The puzzle is a maze named "Nine Doors", worth 10 points. ${rest}`;
  expect(shortRequest(puzzle, 100)).toBe('The puzzle is a maze named "Nine Doors", worth 10 points.');
  expect(shortRequest("Please read the following files. Then say what they do.", 80)).toContain("the following files");
});

it("of failures the newest is told up to where it has room", () => {
  const why = "ERROR: the text to replace stands there twice, so nothing was replaced in this file. ".repeat(2);
  const lines: StateLine[] = [{ kind: "failed", text: `make: Error 4; str_replace src/a.c: ${why}` }];
  expect(fitState(lines, 465, false, getCounter("gpt-4o"))[0]?.text).toMatch(/^str_replace src\/a\.c: ERROR: .* …$/);
});

it("a request that says nothing goes on with the beginning of a long sentence", () => {
  const remark = `The tools ${"that answer in several parts ".repeat(12)}are left out.`;
  expect(shortRequest(`How about this one?\n${remark}\n${remark}`, 120)).toMatch(
    /^How about this one\? The tools .* …$/,
  );
});

it("in little room a request is told by what it wants, not by a question that points back to it", () => {
  const text =
    "Hi, I need to downgrade all my business flights to economy due to some money issues. Could you help me with that without changing any flights or passengers?";
  expect(shortRequest(text, 100)).toContain("downgrade all my business flights");
  expect(shortRequest("I lost my key. Can you help me with that, please?", 30)).toContain("I lost my key.");
  expect(shortRequest("This is about the ferry to Bergen. Could you look up its times for May?", 60)).toContain(
    "look up",
  );
});

it("a task is told by the line that an introduction points to, and not by what an example says", () => {
  const prompt =
    "<pr_description>\nConsider the following PR description:\nTotals are wrong in the summary\nDescription\n" +
    `${"The sum of the rows is not the one below them. ".repeat(12)}\n</pr_description>\n` +
    "<example_response>\nI need to understand the lamps first. Let me look for them.\n</example_response>\nPlease be careful.";
  expect(shortRequest(prompt, 100)).toBe("Totals are wrong in the summary");
  expect(shortRequest("<example>I need a lamp.</example>\nI need a new door for the hall.", 100)).toBe(
    "I need a new door for the hall.",
  );
});
