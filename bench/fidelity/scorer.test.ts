import { expect, it } from "vitest";
import { type ChatMessage, countMessages, faultsOf, flatText, unitsOf } from "./conversation.ts";
import { indexWords, keptWords, scoreQuestion } from "./evidence.ts";
import { findNeeds, foldPoints } from "./references.ts";
import { withRules } from "./rules.ts";

const call = (id: string, args: object, result: string): ChatMessage[] => [
  {
    role: "assistant",
    content: "",
    tool_calls: [{ id, type: "function", function: { name: "find", arguments: JSON.stringify(args) } }],
  },
  { role: "tool", tool_call_id: id, content: result },
];
const padding = "Nothing of note happened here, and nobody would want to know about it later on. ".repeat(20);
const run: ChatMessage[] = [
  { role: "user", content: "Please change the booking of mia_li_3668, thank you." },
  ...call("a", { user: "mia_li_3668" }, `{"reservations": ["NO6JO3", "AIXC49"]} ${padding}`),
  { role: "user", content: `The first one. ${padding}` },
  { role: "assistant", content: `Let me look. ${padding}` },
  { role: "user", content: "Go on." },
  ...call("b", { reservation: "NO6JO3" }, "found"),
  ...call("c", { reservation: "NO6JO3", user: "mia_li_3668" }, "changed"),
  { role: "assistant", content: "Done." },
];
const recorded = { id: "run", messages: run, system: "", qa: [], compactions: [] };

it("needs are values of later calls that only the folded part told; all of it keeps them, nothing keeps none", () => {
  const point = foldPoints(recorded).find(({ id }) => id.endsWith("@0.6"))!;
  expect(point.leaves.map(({ value }) => value).sort()).toEqual(["NO6JO3", "mia_li_3668"]);
  const all = point.prefix.map(flatText).join("\n");
  expect(findNeeds(point.leaves, all)).toEqual({ needs: 2, present: 2, inContext: 2 });
  expect(findNeeds(point.leaves, "")).toEqual({ needs: 2, present: 0, inContext: 0 });
});

it("a bare list of values is present but not in context", () => {
  const point = foldPoints(recorded).find(({ id }) => id.endsWith("@0.6"))!;
  expect(findNeeds(point.leaves, "mia_li_3668\nNO6JO3")).toMatchObject({ present: 2, inContext: 0 });
  expect(findNeeds(point.leaves, "xNO6JO3y 1mia_li_36682")).toMatchObject({ present: 0 });
});

it("a listing that was recorded among the arguments is not needed: it is what the call showed", () => {
  const listing = "path NO6JO3\n  101\tfor mia_li_3668\n  102";
  const messages = run.map((message) =>
    message.tool_calls?.[0]?.id !== "b"
      ? message
      : {
          ...message,
          tool_calls: message.tool_calls.map((one) => ({ ...one, function: { name: "read", arguments: listing } })),
        },
  );
  messages[0] = { role: "user", content: "Please look at lines 101 and 102 for mia_li_3668." };
  const point = foldPoints({ ...recorded, messages }).find(({ id }) => id.endsWith("@0.6"))!;
  expect(point.references.map(({ value }) => value)).toEqual(["NO6JO3"]);
});

it("a value that the system prompt tells is not needed", () => {
  const points = foldPoints({ ...recorded, system: "Reservation NO6JO3 belongs to mia_li_3668." });
  expect(points.flatMap(({ leaves }) => leaves)).toEqual([]);
});

it("words count among their neighbours only", () => {
  const said = "Caroline: I adopted two kittens from the shelter in Bergen.";
  expect(keptWords(said, indexWords("adopted two kittens shelter Bergen")).size).toBe(5);
  expect(keptWords(said, indexWords("two trains; adopted law; Bergen weather; shelter closed; kittens")).size).toBe(0);
});

it("an answer is kept when its evidence is, and lost when nothing is", () => {
  const messages: ChatMessage[] = [
    { role: "user", content: "Anna: We moved to Lisbon in March because of the new job." },
    { role: "assistant", content: "Ben: How nice!" },
  ];
  const conversation = { ...recorded, messages };
  const question = { question: "Where did Anna move?", answer: "Lisbon", evidence: [0] };
  expect(scoreQuestion(conversation, question, indexWords(messages.map(flatText).join("\n")))).toMatchObject({
    all: 1,
    answerable: 1,
    answered: 1,
  });
  expect(scoreQuestion(conversation, question, indexWords("Ben: How nice!"))).toMatchObject({ all: 0, answered: 0 });
  expect(scoreQuestion(conversation, question, undefined)).toMatchObject({ all: 0, answerable: 1, answered: 0 });
});

it("broken pairs are faults, unless the recording had them", () => {
  const [asked, answered] = call("x", {}, "y");
  expect(faultsOf([asked!], run)).toEqual(["call x without its result"]);
  expect(faultsOf([answered!], run)).toEqual(["result x without its call"]);
  expect(faultsOf([asked!], [asked!])).toEqual([]);
  expect(faultsOf(run, [])).toEqual([]);
});

it("a call and its results are one unit, and spaces in arguments cost nothing", () => {
  expect(unitsOf(run)).toHaveLength(8);
  const [asked] = call("x", { a: 1, b: [2, 3] }, "");
  const spaced = {
    ...asked!,
    tool_calls: [
      { id: "x", type: "function", function: { name: "find", arguments: '{ "a": 1,\n  "b": [2, 3] }' } },
    ] as const,
  };
  expect(countMessages([spaced])).toBe(countMessages([asked!]));
});

it("a rule is put where the user speaks, not into code, output or a diff that the user quotes", () => {
  const fenced = "```\nOne. Two. Three.\n\nFour. Five. Six.\n\nSeven. Eight.\n```";
  const diff = "+One. Two. Three. Four. Five. Six.";
  const given = ["Rule 1.", "Rule 2.", "Rule 3.", "Rule 4."];
  for (const quoted of [fenced, diff]) {
    const [said] = withRules([{ role: "user", content: `Look. Here.\n\n${quoted}\n\nWhat now? Tell me.` }], given);
    for (const rule of given) expect(said!.content).toContain(rule);
    expect(said!.content).toContain(quoted);
  }
});
