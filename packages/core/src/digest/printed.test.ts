import { describe, expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { assistant, user } from "./arbitrary-messages.test-data.ts";
import { digest } from "./digest.ts";
import { findCommand, readRun } from "./printed.ts";
import { sourcesOf } from "./sources.ts";

const fenced = (words: string, command: string) => assistant(`${words}\n\n\`\`\`\n${command}\n\`\`\``);
const task = user("The export leaves out invoices of May. Please find out why, and never touch the live database.");
const run = (...turns: (readonly [command: string, printed: string])[]) => [
  task,
  ...turns.flatMap(([command, printed]) => [fenced("I look into it.", command), user(printed)]),
];
/** By number of the message. */
const printedIn = (messages: readonly Message[]) => [...readRun(messages).printed];

const listing = "1:import { rows } from './rows.ts';\n2:\n3:export const may = rows.filter((row) => row.month === 4);";
const outputs = {
  "a prompt at the end": (text: string) => `${text}\n(Open file: n/a)\nbash-$ `,
  "who and where at the end": (text: string) => `${text}\nroot@box:/app# `,
  "tags around": (text: string) => `<returncode>0</returncode>\n<output>\n${text}\n</output>`,
  "a label before": (text: string) => `OBSERVATION:\n${text}`,
  "a signed label before": (text: string) => `Terminal_1: exitcode: 0 (execution succeeded)\nCode output: ${text}`,
  "a label with its tool": (text: string) => `[read_file for 'src/may.ts'] Result:\n${text}`,
  "nothing around": (text: string) => text,
};

describe.each(Object.entries(outputs))("what programs print, with %s", (_, print) => {
  const messages = run(
    ["open src/may.ts", print(listing)],
    ["npm test -- may", print("src/may.test.ts:4:9\n  expected 3\n  received 2")],
    ["ls src", print("src/may.ts\nsrc/may.test.ts\nsrc/rows.ts")],
  );

  it("is no word of the user", () => {
    expect(printedIn(messages)).toEqual([2, 4, 6]);
  });

  it("is a result, and what the assistant typed before it the call", () => {
    const { sources } = sourcesOf(messages);
    const kinds = sources.map(({ kind, by, name }) => `${kind} ${by} ${name ?? ""}`.trim());
    expect(kinds.slice(0, 4)).toEqual(["text user", "text assistant", "call assistant shell", "result tool shell"]);
    expect(sources[2]!.text).toBe("open src/may.ts");
    expect(sources[2]!.callId).toBe(sources[3]!.callId);
  });

  it("leaves what a person says in between to the user", () => {
    const words = "Leave rows.ts as it is, the fault is in the filter.";
    const spoken = [
      ...messages,
      assistant("Shall I mend rows.ts?"),
      user(words),
      fenced("I mend it.", "ls"),
      user(words),
    ];
    expect(printedIn(spoken)).toEqual([2, 4, 6]);
    const { sources } = sourcesOf(spoken);
    expect(sources.filter(({ by, text }) => by === "user" && text === words)).toHaveLength(2);
  });
});

describe("a person is never taken for a program", () => {
  const answers = ["npm run build", "npm ci && npm run build", "node --version"];
  const chat = (...replies: string[]) => [
    task,
    ...replies.flatMap((reply, at) => [fenced("Try this:", answers[at % 3]!), user(reply)]),
  ];
  const error = "src/may.ts:3:14\n  error TS2304: Cannot find name 'rows'.";

  it.each([
    ["who asks about output", (at: number) => `${error}\n\nWhy does it say that now (${at})?`],
    ["who says what was done above it", (at: number) => `I ran it ${at} times, still the same:\n${error}\nbash-$ `],
    ["who labels what is pasted", () => `Output:\n${error}\n\nWhat does this mean?`],
    ["who asks below a terminal", () => `mia@box:~/app$ npm run build\n${error}\nmia@box:~/app$ \nCan you fix it?`],
    ["who writes in German", () => `Ergebnis:\n${error}\nWas soll ich jetzt ändern?`],
    ["who writes in Chinese", () => `${error}\n我应该怎么改？`],
    ["who answers in a word", (at: number) => ["ok", "works now", "v22.4.1"][at % 3]!],
    ["who answers in a sentence", () => "That worked, go on with the next step.\nThe build is green as well."],
  ])("%s", (_, reply) => {
    expect(printedIn(chat(reply(0), reply(1), reply(2), reply(3)))).toEqual([]);
  });

  it("who pastes output now and then", () => {
    const talk = ["Fine, and the tests?", `${error}\nbash-$ `, "Use node 22.", `${error}\nbash-$ `, "Thanks, go on."];
    expect(printedIn(chat(...talk))).toEqual([]);
  });

  it("who pastes output once, with nothing beside it", () => {
    expect(printedIn(chat(`${error}\nbash-$ `))).toEqual([]);
  });

  it("who talks beside calls of tools", () => {
    const call: Message = { role: "assistant", parts: [{ type: "tool-call", id: "c1", name: "look", input: "{}" }] };
    const printed = `${error}\nbash-$ `;
    expect(printedIn(chat(printed, printed, printed))).toEqual([2, 4, 6]);
    expect(printedIn([...chat(printed, printed, printed), call])).toEqual([]);
  });
});

it.each([
  ["Now I read it.\n\n```bash\ncat a.ts\n```", "shell", "cat a.ts"],
  ["```python\nprint(1)\n```\nLet me run this first.", "python", "print(1)"],
  ["First\n```\nls\n```\nthen\n```\npwd\n```", "shell", "pwd"],
  ["It was cut off.\n```sh\nmake all", "shell", "make all"],
  [
    "I read it.\n<read_file>\n<path>a.ts</path>\n</read_file>",
    "read_file",
    "<read_file>\n<path>a.ts</path>\n</read_file>",
  ],
])("the command in %j", (text, name, command) => {
  const found = findCommand(text)!;
  expect([found.name, found.text]).toEqual([name, command]);
  expect(text.slice(found.start, found.end)).toContain(command);
});

it.each(["Nothing to run.", "An empty one:\n```\n```", "`ls` in a line."])("no command in %j", (text) => {
  expect(findCommand(text)).toBeUndefined();
});

describe("the note on an agent that works in plain text", () => {
  const noise = Array.from({ length: 60 }, (_, at) => `${at + 1}:export const row${at} = load("file_${at}.csv");`);
  const print = outputs["a prompt at the end"];
  const { lines } = digest(
    run(
      ["open src/rows.ts", print(`[File: /app/src/rows.ts (60 lines total)]\n${noise.join("\n")}`)],
      [
        "edit 3:3\nexport const may = rows.filter(isMay);\nend_of_edit",
        print(`[File: /app/src/may.ts (3 lines)]\n${listing}`),
      ],
      [
        "npm test -- may",
        print("Error: expected 3 invoices\nPlease check the filter. You must always review your changes."),
      ],
      ["npm run lint", print("0 problems")],
      ["ls src", print("src/may.ts\nsrc/rows.ts")],
    ),
    { counter: getCounter("gpt-4o"), maxTokens: 1600 },
  );
  const state = lines.state.join("\n");

  it("has the user's task and rules, and none of what programs say", () => {
    expect(lines.state[0]).toContain("The export leaves out invoices of May.");
    expect(lines.rules.join("\n")).toContain("never touch the live database");
    expect([...lines.rules, ...lines.user].join("\n")).not.toContain("review your changes");
    expect(state).not.toContain("newest request");
  });

  it("tells files, commands that worked and failures", () => {
    expect(state).toContain("files changed: /app/src/may.ts");
    expect(state).toContain("commands that worked: npm run lint");
    expect(state).toMatch(/failed: npm test -- may: Error: expected 3 invoices/);
  });
});

it("reads long messages in no time", () => {
  const long = "```\n$ </a> Output: I\n".repeat(200_000);
  const start = performance.now();
  readRun([task, assistant(long), user(long), assistant(long), user(`${" ".repeat(1e6)}>${long}`)]);
  expect(performance.now() - start).toBeLessThan(2000);
});
