import { describe, expect, it } from "vitest";
import { isFrame } from "../digest/frame.ts";
import type { Message } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { FoldOptions, FoldResult } from "./fold-options.ts";
import { foldSync } from "./fold-sync.ts";

const counter = getCounter("gpt-4o");
const said = (role: Message["role"], text: string): Message => ({ role, parts: [{ type: "text", text }] });
const textIn = ({ parts }: Message) => parts.map((part) => (part.type === "text" ? part.text : "")).join("");
const run = (messages: readonly Message[], options: FoldOptions): FoldResult<Message> =>
  foldSync(messages, { counter, format: "midfold", preset: "agent", ...options } as never) as never;
const sentIn = ({ messages }: FoldResult<Message>) => messages.map(textIn).join("\n");
const noteIn = ({ messages }: FoldResult<Message>) => messages.filter(isFrame).map(textIn).join("\n");
const filler = (name: string, lines: number) =>
  Array.from({ length: lines }, (_, at) => `${name} ${at}: the pump was looked at and it ran as it had run before.`);

const rule = "Never open the valve above the boiler.";
/** A long report with a request before it; what stands in its middle has no place in a clip of its ends. */
const request = said(
  "user",
  [
    "The pump fails.",
    ...filler("Entry", 60),
    `It says E-4471 at /srv/pumps/hall-7.log. ${rule}`,
    ...filler("Remark", 60),
    "Mend it.",
  ].join("\n"),
);
const step = (at: number, lines: number): Message[] => [
  {
    role: "assistant",
    parts: [{ type: "tool-call", id: `c${at}`, name: "look", input: `{"path":"src/part-${at}.ts"}` }],
  },
  {
    role: "tool",
    parts: [
      {
        type: "tool-result",
        callId: `c${at}`,
        content: [{ type: "text", text: filler(`part-${at}`, lines).join("\n") }],
      },
    ],
  },
];
const worked = [request, ...Array.from({ length: 12 }, (_, at) => step(at, 40)).flat()];

describe("a last message of the user that is too large", () => {
  it("and a newest result that is too large leave room for a note on the work between them", () => {
    const list = [request, ...Array.from({ length: 8 }, (_, at) => step(at, 12)).flat(), ...step(9, 120)];
    const note = noteIn(run(list, { budget: 1_000 }));
    expect(note).toContain("src/part-7.ts");
  });

  it("loses no rule in its middle", () => {
    expect(sentIn(run(worked, { budget: 1_500 }))).toContain(rule);
    const asked = [...step(1, 40), said("assistant", "Done. What else?"), request];
    expect(sentIn(run(asked, { budget: 900 }))).toContain(rule);
  });

  it("loses none of thirty rules, though its clip has no room for them", () => {
    const rules = Array.from({ length: 30 }, (_, at) => `Never open valve ${at + 101} of boiler ${at + 7} by hand.`);
    const lines = rules.flatMap((one, at) => [...filler(`Entry ${at},`, 6), one]);
    const many = said("user", ["The pump fails.", ...lines, "Mend it."].join("\n"));
    const text = sentIn(run([many, ...worked.slice(1)], { budget: 1_600 }));
    expect(rules.filter((one) => !text.includes(one))).toEqual([]);
    const asked = sentIn(run([...step(1, 40), said("assistant", "Done. What else?"), many], { budget: 1_600 }));
    expect(rules.filter((one) => !asked.includes(one))).toEqual([]);
  });

  it("has what is exact in its middle told once there is work on it", () => {
    const note = noteIn(run(worked, { budget: 1_500 }));
    expect(note).toContain("/srv/pumps/hall-7.log");
    expect(note).toContain("E-4471");
    // In its place, before the work.
    expect(note.indexOf("E-4471")).toBeLessThan(note.indexOf("part-1"));
  });
});

it("a note gets the room that lines beside it did not need", () => {
  const list = Array.from({ length: 40 }, (_, at) => [
    said("user", `Look at hall ${at}, please, and tell me what is wrong with the valve V-${at * 37}.`),
    ...step(at, 6),
    said("assistant", `Valve V-${at * 37} in hall ${at} has ${at * 11 + 100} mbar, which is too much for it.`),
  ]).flat();
  for (const budget of [240, 300, 360, 420]) {
    const { tokens } = run([...list, said("user", "Go on.")], { budget });
    expect(tokens.after).toBeGreaterThan(budget * 0.975);
  }
});
