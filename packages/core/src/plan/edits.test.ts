import { describe, expect, it } from "vitest";
import { groupAtoms } from "../atoms/group-atoms.ts";
import { matchToolPairs } from "../atoms/match-tool-pairs.ts";
import type { FormatTraits } from "../formats/format.ts";
import type { Message, Role } from "../message/message.ts";
import type { Part, TextPart } from "../message/part.ts";
import type { Side } from "../message/turn-lines.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { applyEdits } from "./apply-edits.ts";
import { buildView } from "./build-view.ts";
import { Draft } from "./draft.ts";
import type { Edit } from "./fold-record.ts";
import { frameLines } from "./frame-lines.ts";
import { writeEdits } from "./write-edits.ts";

const counter = getCounter("gpt-4o");
const free: FormatTraits = { alternates: false, leadingSystem: true, laterSystem: true, groupedResults: false };
const strict: FormatTraits = { alternates: true, leadingSystem: false, laterSystem: false, groupedResults: true };
const words = (text: string): TextPart => ({ type: "text", text });
const said = (role: Role, text: string): Message => ({ role, parts: [words(text)] });
const call = (id: string, name = "look"): Part => ({ type: "tool-call", id, name, input: "{}" });
const result = (callId: string, text = "found"): Part => ({ type: "tool-result", callId, content: [words(text)] });
const doing = (...parts: Part[]): Message => ({ role: "assistant", parts });
const tool = (...parts: Part[]): Message => ({ role: "tool", parts });

interface Wish {
  traits?: FormatTraits;
  frames?: string[];
  frameRole?: "system" | "user" | "assistant";
}

/** The edits of a plan that somebody drafts by hand. */
function edits(
  messages: Message[],
  plan: (draft: Draft) => void,
  { traits = free, frames = [], frameRole = "user" }: Wish = {},
) {
  const weights = messages.map((message) => counter.countMessage(message));
  const pairs = matchToolPairs(messages);
  const atoms = groupAtoms(messages, weights, pairs);
  const view = buildView({ messages, weights, atoms, counter, fixed: 0, preserveRoles: [] });
  const draft = new Draft(view);
  plan(draft);
  const finished = draft.finish({ budget: 1_000_000, target: 1_000_000 });
  return writeEdits({ plan: finished, view, pairs, traits, frameRole, frames });
}

/** What goes out, as `role: text`. */
function sent(messages: Message[], written: Edit[]): string[] {
  return applyEdits(messages, written).messages.map(({ role, parts }) => {
    const shown = parts.map((part) => {
      if (part.type === "text") return part.text;
      if (part.type === "tool-call") return `call ${part.id}`;
      return part.type === "tool-result" ? `result ${part.callId} ${shownContent(part.content)}` : part.type;
    });
    return `${role}: ${shown.join(" + ")}`;
  });
}
const shownContent = (content: readonly Part[]) =>
  content.map((part) => (part.type === "text" ? part.text : part.type));

function foldAtoms(...atoms: number[]) {
  return (draft: Draft) => {
    const span = draft.openSpan("digest");
    for (const atom of atoms) draft.fold(atom, span);
    draft.setFrame(span, 50);
  };
}
const dropAtoms =
  (...atoms: number[]) =>
  (draft: Draft) => {
    for (const atom of atoms) draft.drop(atom);
  };

describe("edits of a plan", () => {
  const chat = ["u1", "a1", "u2", "a2", "u3"].map((text) => said(text.startsWith("u") ? "user" : "assistant", text));

  it("none where everything stays", () => {
    expect(edits(chat, () => {})).toEqual([]);
  });

  it("neighbours that are dropped are one edit, others are not", () => {
    expect(edits(chat, dropAtoms(0, 1, 3))).toEqual([
      { do: "drop", first: 0, last: 1 },
      { do: "drop", first: 3, last: 3 },
    ]);
  });

  it("a frame stands where the first of the folded messages stood", () => {
    const written = edits(chat, foldAtoms(1, 2), { frames: ["FRAME"] });
    expect(written).toEqual([
      { do: "insert", before: 1, role: "assistant", parts: [words("OK")] },
      { do: "insert", before: 1, role: "user", parts: [words("FRAME")] },
      { do: "drop", first: 1, last: 2 },
    ]);
    expect(sent(chat, written)).toEqual(["user: u1", "assistant: OK", "user: FRAME", "assistant: a2", "user: u3"]);
  });

  it("what is kept between folded messages stays in its place behind the frame", () => {
    expect(sent(chat, edits(chat, foldAtoms(1, 3), { frames: ["FRAME"] }))).toEqual([
      "user: u1",
      "assistant: OK",
      "user: FRAME",
      "assistant: OK",
      "user: u2",
      "assistant: OK",
      "user: u3",
    ]);
  });

  it("a list that lost its first words to a frame with nothing to say does not begin with an answer", () => {
    const messages = [
      said("user", "u1"),
      doing(call("c")),
      tool(result("c")),
      said("assistant", "a1"),
      said("user", "u2"),
    ];
    expect(sent(messages, edits(messages, foldAtoms(0), { frames: [""] }))).toEqual([
      "assistant: call c",
      "tool: result c found",
      "user: [Earlier messages of this conversation were left out.]",
      "assistant: a1",
      "user: u2",
    ]);
  });

  it("calls that stay between the frame and the user's next words are no turn of the assistant", () => {
    const worked = [
      said("user", "u1"),
      doing(call("a")),
      tool(result("a")),
      said("assistant", "a1"),
      said("user", "u2"),
    ];
    expect(sent(worked, edits(worked, foldAtoms(0, 2), { frames: ["FRAME"] }))).toEqual([
      "user: FRAME",
      "assistant: call a",
      "tool: result a found",
      "assistant: OK",
      "user: u2",
    ]);
    const two = [...worked.slice(0, 3), ...chat.slice(1, 4), said("assistant", "pinned")];
    expect(sent(two, edits(two, foldAtoms(2, 3, 4), { frames: [""] }))).toEqual([
      "user: u1",
      "assistant: call a",
      "tool: result a found",
      "assistant: pinned",
    ]);
    const answers = [...chat.slice(0, 4)];
    expect(sent(answers, edits(answers, foldAtoms(2), { frames: [""] }))).toEqual([
      "user: u1",
      "assistant: a1",
      "user: [Earlier messages of this conversation were left out.]",
      "assistant: a2",
    ]);
  });

  it("a preset that has the system or the assistant say the frame gets no lines beside it", () => {
    for (const frameRole of ["system", "assistant"] as const) {
      expect(sent(chat, edits(chat, foldAtoms(1, 3), { frames: ["FRAME"], frameRole }))).toEqual([
        "user: u1",
        `${frameRole}: FRAME`,
        "user: u2",
        "user: u3",
      ]);
    }
  });

  it("an empty frame is left out", () => {
    expect(sent(chat, edits(chat, foldAtoms(1, 2), { frames: [""] }))).toEqual([
      "user: u1",
      "assistant: a2",
      "user: u3",
    ]);
  });

  it("each span has the frame that was written for it", () => {
    const two = (draft: Draft) => {
      foldAtoms(0)(draft);
      foldAtoms(2, 3)(draft);
    };
    expect(sent(chat, edits(chat, two, { frames: ["ONE", "TWO"], frameRole: "assistant" }))).toEqual([
      "assistant: ONE",
      "assistant: a1",
      "assistant: TWO",
      "user: u3",
    ]);
  });

  it("where the assistant is to say the frame and turns are demanded, it does so when it is its turn", () => {
    const strictly = (plan: (draft: Draft) => void) =>
      sent(chat, edits(chat, plan, { traits: strict, frames: ["FRAME"], frameRole: "assistant" }));
    expect(strictly(foldAtoms(1))).toEqual(["user: u1", "assistant: FRAME", "user: u2", "assistant: a2", "user: u3"]);
    expect(strictly(foldAtoms(0))).toEqual(["user: FRAME", "assistant: a1", "user: u2", "assistant: a2", "user: u3"]);
    expect(strictly(foldAtoms(0, 1))).toEqual([
      "user: FRAME",
      "assistant: OK",
      "user: u2",
      "assistant: a2",
      "user: u3",
    ]);
    expect(strictly(foldAtoms(1, 2))).toEqual([
      "user: u1",
      "assistant: FRAME",
      "user: [Earlier messages of this conversation were left out.]",
      "assistant: a2",
      "user: u3",
    ]);
  });

  it("two frames side by side take turns, and a frame at the end leaves the turn to the assistant", () => {
    const both = (draft: Draft) => {
      foldAtoms(1)(draft);
      foldAtoms(2)(draft);
    };
    expect(sent(chat, edits(chat, both, { traits: strict, frames: ["ONE", "TWO"] }))).toEqual([
      "user: u1",
      "assistant: OK",
      "user: ONE",
      "assistant: OK",
      "user: TWO",
      "assistant: a2",
      "user: u3",
    ]);
    expect(sent(chat, edits(chat, foldAtoms(1, 2, 3, 4), { traits: strict, frames: ["FRAME"] }))).toEqual([
      "user: u1",
      "assistant: OK",
      "user: FRAME",
    ]);
  });

  it("a list that lost its start is opened by the user where the protocol wants that", () => {
    const opened = ["user: [Earlier messages of this conversation were left out.]", "assistant: a1", "user: u2"];
    expect(sent(chat, edits(chat, dropAtoms(0), { traits: strict })).slice(0, 3)).toEqual(opened);
    expect(sent(chat, edits(chat, dropAtoms(0))).slice(0, 2)).toEqual(["assistant: a1", "user: u2"]);
    expect(sent(chat, edits(chat, dropAtoms(0, 1), { traits: strict }))).toEqual([
      "user: u2",
      "assistant: a2",
      "user: u3",
    ]);
    // It began with the assistant when it came.
    const greeted = [said("assistant", "hello"), ...chat];
    expect(sent(greeted, edits(greeted, dropAtoms(1), { traits: strict }))[0]).toBe("assistant: hello");
    expect(sent(greeted, edits(greeted, dropAtoms(0, 1), { traits: strict }))[0]).toBe("assistant: a1");
    const instructed = [said("system", "be brief"), ...chat];
    expect(sent(instructed, edits(instructed, dropAtoms(1), { traits: strict }))).toEqual([
      "system: be brief",
      ...opened,
      "assistant: a2",
      "user: u3",
    ]);
  });
});

describe("cuts become new parts of the message", () => {
  const long = "one two three four five six seven eight nine ten ".repeat(40);
  const thinking: Part = { type: "reasoning", text: "hm" };
  const messages = [
    said("user", "go"),
    doing(thinking, words("I look"), call("a")),
    tool({ type: "tool-result", callId: "a", content: [words(long)], source: { old: true } }),
    said("user", "on"),
  ];

  it("a clipped result is shorter, its call is untouched", () => {
    const written = edits(messages, (draft) => draft.cut(1, { message: 2, toTokens: 60 }));
    expect(written).toHaveLength(1);
    const after = applyEdits(messages, written);
    expect(counter.countMessage(after.messages[2]!)).toBeLessThanOrEqual(60);
    expect(after.messages[1]).toBe(messages[1]);
    expect(after.origins).toEqual([0, 1, -1, 3]);
  });

  it("a note stands for the whole result, and the old wire block is gone", () => {
    const written = edits(messages, (draft) => draft.cut(1, { message: 2, toTokens: 60, note: "the same as below" }));
    expect(written).toEqual([
      { do: "parts", at: 2, parts: [{ type: "tool-result", callId: "a", content: [words("the same as below")] }] },
    ]);
  });

  it("a note changes results only", () => {
    const mixed = [...messages.slice(0, 2), tool(words("aside"), result("a")), said("user", "on")];
    const written = edits(mixed, (draft) => draft.cut(1, { message: 2, toTokens: 5, note: "seen" }));
    expect(applyEdits(mixed, written).messages[2]?.parts).toEqual([words("aside"), result("a", "seen")]);
  });

  it("reasoning goes, parts that stay are named by their place", () => {
    const written = edits(messages, (draft) => draft.cut(1, { message: 1, toTokens: 40, withoutReasoning: true }));
    expect(written).toEqual([{ do: "parts", at: 1, parts: [1, 2] }]);
    expect(applyEdits(messages, written).messages[1]?.parts).toEqual([words("I look"), call("a")]);
  });

  it("a message that is only clipped keeps its reasoning", () => {
    const talking = [said("user", "go"), doing(thinking, words(long)), said("user", "on")];
    const [edit] = edits(talking, (draft) => draft.cut(1, { message: 1, toTokens: 60 }));
    expect(edit).toMatchObject({ do: "parts", at: 1, parts: [0, { type: "text" }] });
  });

  it("a cut that clipping does not reach changes nothing", () => {
    expect(
      edits(messages, (draft) => draft.cut(1, { message: 1, toTokens: 1000, withoutReasoning: true })),
    ).toHaveLength(1);
    const plain = [said("user", "go"), doing(call("a")), tool(result("a")), said("user", "on")];
    expect(edits(plain, (draft) => draft.cut(1, { message: 2, toTokens: 1000, withoutReasoning: true }))).toEqual([
      { do: "parts", at: 2, parts: [0] },
    ]);
  });
});

describe("repairs of what came in broken", () => {
  const none = () => {};
  it("a call that was never answered gets a result that says so", () => {
    const messages = [said("user", "go"), doing(call("a")), said("user", "on")];
    expect(edits(messages, none)).toEqual([
      {
        do: "insert",
        before: 2,
        role: "tool",
        parts: [
          {
            type: "tool-result",
            callId: "a",
            name: "look",
            content: [words("[No result was recorded for this call.]")],
          },
        ],
      },
    ]);
  });

  it("a custom tool is answered as one", () => {
    const custom: Part = { type: "tool-call", id: "a", name: "shell", input: "ls", custom: true };
    const [edit] = edits([said("user", "go"), doing(custom), said("user", "on")], none);
    expect(edit).toMatchObject({ parts: [{ callId: "a", name: "shell", custom: true }] });
  });

  it("several are answered in one message where results travel together, otherwise in one each", () => {
    const messages = [said("user", "go"), doing(call("a"), call("b")), said("user", "on")];
    expect(edits(messages, none, { traits: strict }).map((edit) => edit.do === "insert" && edit.parts.length)).toEqual([
      2,
    ]);
    expect(edits(messages, none).map((edit) => edit.do === "insert" && edit.parts.length)).toEqual([1, 1]);
    expect(sent(messages, edits(messages, none, { traits: strict }))[2]).toMatch(/^tool: result a .* \+ result b /);
  });

  it("an answer is added to the results that came, where results travel together", () => {
    const messages = [said("user", "go"), doing(call("a"), call("b")), tool(result("a")), said("user", "on")];
    expect(sent(messages, edits(messages, none, { traits: strict }))).toEqual([
      "user: go",
      "assistant: call a + call b",
      "tool: result a found + result b [No result was recorded for this call.]",
      "user: on",
    ]);
    expect(sent(messages, edits(messages, none))).toEqual([
      "user: go",
      "assistant: call a + call b",
      "tool: result b [No result was recorded for this call.]",
      "tool: result a found",
      "user: on",
    ]);
  });

  it("results that must stay word for word are not added to", () => {
    const pinned = { ...tool(result("a")), pinned: true };
    const messages = [said("user", "go"), doing(call("a"), call("b")), pinned, said("user", "on")];
    const written = edits(messages, none, { traits: strict });
    expect(applyEdits(messages, written).messages).toContain(pinned);
    expect(written).toMatchObject([{ do: "insert", before: 2 }]);
  });

  it("the newest calls may still be running", () => {
    expect(edits([said("user", "go"), doing(call("a"))], none)).toEqual([]);
    expect(edits([said("user", "go"), doing(call("a"), call("b")), tool(result("a"))], none)).toEqual([]);
  });

  it("a result that answers nothing is taken out, and with it a message that holds nothing else", () => {
    const messages = [
      said("user", "go"),
      tool(result("x")),
      doing(words("so"), call("a")),
      tool(result("a"), result("y")),
      said("user", "on"),
    ];
    expect(edits(messages, none)).toEqual([
      { do: "drop", first: 1, last: 1 },
      { do: "parts", at: 3, parts: [0] },
    ]);
  });

  it("a stray result in what must stay word for word stays", () => {
    const last: Message = { role: "user", parts: [result("x"), words("see")] };
    expect(edits([said("user", "go"), last], none)).toEqual([]);
  });

  it("a message that repairs took away does not open the list", () => {
    const messages = [said("user", "go"), tool(result("x")), said("assistant", "a1"), said("user", "on")];
    expect(sent(messages, edits(messages, dropAtoms(0), { traits: strict }))).toEqual([
      "user: [Earlier messages of this conversation were left out.]",
      "assistant: a1",
      "user: on",
    ]);
  });

  it("a call that is answered here still needs the user before it, where the user must speak first", () => {
    const messages = [said("user", "go"), doing(call("a")), said("user", "on")];
    expect(sent(messages, edits(messages, dropAtoms(0), { traits: strict }))).toEqual([
      "user: [Earlier messages of this conversation were left out.]",
      "assistant: call a",
      "tool: result a [No result was recorded for this call.]",
      "user: on",
    ]);
  });

  it("a stray that is taken out makes room for the answer that is missing", () => {
    const messages = [
      said("user", "go"),
      doing(call("a"), call("b")),
      tool(result("a"), result("x")),
      said("user", "on"),
    ];
    expect(sent(messages, edits(messages, none, { traits: strict }))[2]).toBe(
      "tool: result a found + result b [No result was recorded for this call.]",
    );
  });
});

describe("applying edits", () => {
  const list = ["0", "1", "2", "3"].map((text) => said("user", text));

  it("nothing to do: the same messages", () => {
    expect(applyEdits(list, [])).toEqual({ messages: list, origins: [0, 1, 2, 3] });
  });

  it("drops, inserts and changes in one pass, and says where each message stood", () => {
    const { messages, origins } = applyEdits(list, [
      { do: "insert", before: 0, role: "user", parts: [words("first")] },
      { do: "drop", first: 0, last: 1 },
      { do: "parts", at: 2, parts: [words("more"), 0] },
      { do: "insert", before: 4, role: "assistant", parts: [words("last")] },
    ]);
    expect(messages).toEqual([
      said("user", "first"),
      { role: "user", parts: [words("more"), words("2")] },
      list[3],
      said("assistant", "last"),
    ]);
    expect(origins).toEqual([-1, -1, 3, -1]);
    expect(messages[2]).toBe(list[3]);
  });

  it("drops that overlap take nothing twice", () => {
    const { origins } = applyEdits(list, [
      { do: "drop", first: 0, last: 2 },
      { do: "drop", first: 1, last: 1 },
    ]);
    expect(origins).toEqual([3]);
  });

  it("a changed message keeps its other fields", () => {
    const named: Message = { ...said("user", "x"), name: "Ann", id: "m1" };
    expect(applyEdits([named], [{ do: "parts", at: 0, parts: [words("y")] }]).messages).toEqual([
      { role: "user", name: "Ann", id: "m1", parts: [words("y")] },
    ]);
  });
});

describe("who says the frame", () => {
  const lines = (
    before: Side | undefined,
    after: Side | undefined,
    traits = strict,
    role: "system" | "user" | "assistant" = "user",
  ) => frameLines({ text: "FRAME", before, after, traits, role }).map((line) => `${line.role[0]} ${line.text}`);

  it("the role that the preset names, where turns are free", () => {
    expect(lines("user", "user", free, "assistant")).toEqual(["a FRAME"]);
    expect(lines("user", "user", free, "system")).toEqual(["s FRAME"]);
    expect(lines("assistant", "assistant", { ...free, laterSystem: false }, "system")).toEqual(["u FRAME"]);
    expect(lines("user", "user", { ...free, laterSystem: false }, "assistant")).toEqual(["a FRAME"]);
  });

  it.each([
    ["user", "user", ["a OK", "u FRAME", "a OK"]],
    ["user", "assistant", ["a OK", "u FRAME"]],
    ["user", undefined, ["a OK", "u FRAME"]],
    ["assistant", "user", ["u FRAME", "a OK"]],
    ["assistant", "assistant", ["u FRAME"]],
    ["assistant", undefined, ["u FRAME"]],
    [undefined, "user", ["u FRAME", "a OK"]],
    [undefined, "assistant", ["u FRAME"]],
  ] as const)("between %s and %s: %j", (before, after, expected) => {
    for (const traits of [free, strict]) {
      expect(lines(before, after, traits)).toEqual(expected);
      expect(lines(before, after, { ...traits, laterSystem: false }, "system")).toEqual(expected);
    }
  });
});
