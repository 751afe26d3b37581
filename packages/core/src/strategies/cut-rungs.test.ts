import { describe, expect, it } from "vitest";
import { groupAtoms } from "../atoms/group-atoms.ts";
import { matchToolPairs } from "../atoms/match-tool-pairs.ts";
import { frame } from "../digest/frame.ts";
import type { Message, Role } from "../message/message.ts";
import type { Part } from "../message/part.ts";
import { buildView } from "../plan/build-view.ts";
import { Draft, type Strategy } from "../plan/draft.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { clipOversized } from "./clip-oversized.ts";
import { clipResults } from "./clip-results.ts";
import { dropReasoning } from "./drop-reasoning.ts";
import { foldOlder } from "./fold-older.ts";
import { repeatedResults } from "./repeated-results.ts";

const counter = getCounter("gpt-4o");
const large = { budget: 1_000_000, target: 1_000_000 };
const words = (text: string): Part => ({ type: "text", text });
const said = (role: Role, ...parts: Part[]): Message => ({ role, parts: parts.length === 0 ? [words("x")] : parts });
const call = (id: string, input = id, name = "look"): Part => ({ type: "tool-call", id, name, input });
/** Half of every result is the same. */
const result = (callId: string): Part => ({
  type: "tool-result",
  callId,
  content: [{ type: "text", text: `found\nfor ${callId}` }],
});
const user = said("user");
const answer = said("assistant");
const asks = (...ids: string[]) => said("assistant", ...ids.map((id) => call(id)));
const finds = (...ids: string[]) => said("tool", ...ids.map(result));

function draftOf(list: [Message, number][], fixed = 0): Draft {
  const messages = list.map(([message]) => message);
  const weights = list.map(([, weight]) => weight);
  const atoms = groupAtoms(messages, weights, matchToolPairs(messages));
  return new Draft(buildView({ messages, weights, atoms, counter, fixed, preserveRoles: [] }));
}
/** What a strategy cuts, as message and tokens. */
function cuts(draft: Draft, strategy: Strategy, goal: { budget: number; target: number }): number[][] {
  strategy(draft, goal);
  return draft.finish(large).cuts.map(({ message, toTokens }) => [message, toTokens]);
}

describe("clip-oversized", () => {
  const list: [Message, number][] = [
    [said("system"), 500],
    [answer, 100],
    [answer, 400],
    [answer, 300],
    [user, 600],
    [answer, 50],
  ];
  it("does nothing where it fits", () => {
    expect(cuts(draftOf(list), clipOversized(), { budget: 1950, target: 1 })).toEqual([]);
  });

  it("lowers the largest to the highest level that fits, and nobody else", () => {
    expect(cuts(draftOf(list), clipOversized(), { budget: 1900, target: 1 })).toEqual([[2, 350]]);
    expect(cuts(draftOf(list), clipOversized(), { budget: 1850, target: 1 })).toEqual([[2, 300]]);
    expect(cuts(draftOf(list), clipOversized(), { budget: 1650, target: 1 })).toEqual([
      [2, 200],
      [3, 200],
    ]);
    expect(cuts(draftOf(list), clipOversized(), { budget: 1390, target: 1 })).toEqual([
      [1, 80],
      [2, 80],
      [3, 80],
    ]);
  });

  it("leaves of each as much as its marker needs, never the system prompt nor the last words", () => {
    expect(cuts(draftOf(list), clipOversized(), { budget: 100, target: 1 })).toEqual([
      [1, 32],
      [2, 32],
      [3, 32],
      [5, 32],
    ]);
  });

  it("does not count what is folded already", () => {
    const draft = draftOf(list);
    draft.drop(2);
    expect(cuts(draft, clipOversized(), { budget: 1450, target: 1 })).toEqual([[3, 200]]);
  });
});

describe("clip-results", () => {
  const exchange = (id: string, weight: number): [Message, number][] => [
    [asks(id), 10],
    [finds(id), weight],
  ];
  const list: [Message, number][] = [
    [user, 900],
    ...exchange("a", 900),
    ...exchange("b", 900),
    ...exchange("c", 900),
    ...exchange("d", 900),
    [user, 10],
  ];

  it("clips the oldest results until the target is met, and spares the newest two exchanges", () => {
    expect(cuts(draftOf(list), clipResults({ maxTokens: 300 }), { budget: 9000, target: 4550 })).toEqual([]);
    expect(cuts(draftOf(list), clipResults({ maxTokens: 300 }), { budget: 9000, target: 4000 })).toEqual([[2, 300]]);
    expect(cuts(draftOf(list), clipResults({ maxTokens: 300 }), { budget: 9000, target: 3950 })).toEqual([[2, 300]]);
    expect(cuts(draftOf(list), clipResults({ maxTokens: 300 }), { budget: 9000, target: 100 })).toEqual([
      [2, 300],
      [4, 300],
    ]);
  });

  it("how many it spares is a setting", () => {
    expect(
      cuts(draftOf(list), clipResults({ maxTokens: 300, protect: 0 }), { budget: 9000, target: 100 }),
    ).toHaveLength(4);
    expect(cuts(draftOf(list), clipResults({ maxTokens: 300, protect: 9 }), { budget: 9000, target: 100 })).toEqual([]);
  });

  it("one of the newest that takes more than half of the budget is clipped to that half", () => {
    const huge: [Message, number][] = [[user, 10], ...exchange("a", 5000), [user, 10]];
    expect(cuts(draftOf(huge, 1000), clipResults({ maxTokens: 300 }), { budget: 3000, target: 100 })).toEqual([
      [2, 1000],
    ]);
    expect(cuts(draftOf(huge, 2800), clipResults({ maxTokens: 300 }), { budget: 3000, target: 100 })).toEqual([
      [2, 300],
    ]);
  });

  it("a message with several results has room for each", () => {
    const several: [Message, number][] = [
      [user, 10],
      [asks("a", "b"), 20],
      [finds("a", "b"), 2000],
      ...exchange("c", 10),
      ...exchange("d", 10),
      [user, 10],
    ];
    expect(cuts(draftOf(several), clipResults({ maxTokens: 300 }), { budget: 9000, target: 10 })).toEqual([[2, 600]]);
    const mixed = several.map(([message, weight], at): [Message, number] =>
      at === 2 ? [said("tool", words("aside"), ...finds("a", "b").parts), weight] : [message, weight],
    );
    expect(cuts(draftOf(mixed), clipResults({ maxTokens: 300 }), { budget: 9000, target: 10 })).toEqual([[2, 600]]);
  });

  it("pinned results stay whole", () => {
    const pinned = list.map(([message, weight], at): [Message, number] => [
      at === 2 ? { ...message, pinned: true } : message,
      weight,
    ]);
    expect(cuts(draftOf(pinned), clipResults({ maxTokens: 300 }), { budget: 9000, target: 10 })).toEqual([[4, 300]]);
  });
});

describe("repeated-results", () => {
  const read = (id: string, input: string, weight: number, name?: string): [Message, number][] => [
    [said("assistant", call(id, input, name)), 10],
    [finds(id), weight],
  ];
  const one = counter.count("[A newer result or call says this again; this older output is left out.]") + 24;
  const cutsOf = (list: [Message, number][], target = 1) =>
    cuts(draftOf(list), repeatedResults(), { budget: 9000, target });

  it("leaves out each older output of the same call, oldest first, until the target is met", () => {
    const list = [
      ...read("a", "x", 900),
      ...read("b", "x", 900),
      ...read("c", "x", 900),
      [user, 10] as [Message, number],
    ];
    expect(cutsOf(list)).toEqual([
      [1, one],
      [3, one],
    ]);
    expect(cutsOf(list, 2740 - 900 + one)).toEqual([[1, one]]);
    expect(cutsOf(list, 2740)).toEqual([]);
  });

  it("another input or another tool is another call", () => {
    expect(cutsOf([...read("a", "x", 900), ...read("b", "y", 900), [user, 10]])).toEqual([]);
    expect(cutsOf([...read("a", "x", 900, "read"), ...read("b", "x", 900, "write"), [user, 10]])).toEqual([]);
  });

  it("a small output stays, and so does one that is pinned", () => {
    expect(cutsOf([...read("a", "x", 199), ...read("b", "x", 900), [user, 10]])).toEqual([]);
    expect(cutsOf([...read("a", "x", 200), ...read("b", "x", 900), [user, 10]])).toEqual([[1, one]]);
    const [asking, finding] = read("a", "x", 900) as [[Message, number], [Message, number]];
    expect(cutsOf([asking, [{ ...finding[0], pinned: true }, 900], ...read("b", "x", 900), [user, 10]])).toEqual([]);
  });

  it("parallel calls are stale only when all of them were repeated; then each result has its note", () => {
    const both: [Message, number][] = [
      [said("assistant", call("a", "x"), call("b", "y")), 20],
      [finds("a", "b"), 2000],
    ];
    expect(cutsOf([...both, ...read("c", "x", 900), [user, 10]])).toEqual([]);
    expect(cutsOf([...both, ...read("c", "x", 900), ...read("d", "y", 900), [user, 10]])).toEqual([[1, one * 2]]);
  });

  it("the call itself stays, however long it is", () => {
    const list = [...read("a", "x", 900), ...read("b", "x", 900), [user, 10] as [Message, number]];
    expect(cutsOf(list.map(([message], at) => [message, at === 0 ? 500 : 900]))).toEqual([[1, one]]);
  });
});

describe("drop-reasoning", () => {
  const thought: Part = { type: "reasoning", text: "I think about this. ".repeat(30) };
  const thinks = said("assistant", thought, words("so"));
  const weight = (message: Message): [Message, number] => [message, counter.countMessage(message)];
  const list = [user, thinks, user, thinks, user].map(weight);
  const plain = counter.countMessage(said("assistant", words("so")));

  it("what is left weighs what is left, and it stops at the target", () => {
    expect(cuts(draftOf(list), dropReasoning(), { budget: 9000, target: 1 })).toEqual([
      [1, plain],
      [3, plain],
    ]);
    const total = draftOf(list).total;
    expect(cuts(draftOf(list), dropReasoning(), { budget: 9000, target: total - 1 })).toEqual([[1, plain]]);
    expect(cuts(draftOf(list), dropReasoning(), { budget: 9000, target: total })).toEqual([]);
  });

  it("reasoning alone stays: the item after it refers to it; so does what is pinned", () => {
    const alone = [user, said("assistant", thought), answer, user].map(weight);
    expect(cuts(draftOf(alone), dropReasoning(), { budget: 9000, target: 1 })).toEqual([]);
    const pinned = [user, { ...thinks, pinned: true }, user].map(weight);
    expect(cuts(draftOf(pinned), dropReasoning(), { budget: 9000, target: 1 })).toEqual([]);
  });

  it("a message that was cut before becomes smaller still", () => {
    const draft = draftOf(list);
    draft.cut(1, { message: 1, toTokens: 130 });
    const freed = counter.countMessage(thinks) - plain;
    expect(cuts(draft, dropReasoning(), { budget: 9000, target: draft.total - 1 })).toEqual([
      [1, Math.max(0, 130 - freed)],
    ]);
  });
});

describe("fold-older", () => {
  const hundred = (...messages: Message[]) => messages.map((message): [Message, number] => [message, 300]);
  const list = hundred(said("system"), user, answer, user, answer, user, answer, user);
  const fold = (
    stays: { tokens?: number; line?: number },
    target: number,
    more: { maxFrameTokens?: number; replace?: "summary" | "nothing" } = {},
  ) => {
    const draft = draftOf(list);
    foldOlder({ stays, replace: more.replace ?? "digest", maxFrameTokens: more.maxFrameTokens })(draft, {
      budget: target,
      target,
    });
    const plan = draft.finish(large);
    return { folded: plan.decisions.flatMap(({ do: what }, at) => (what === "keep" ? [] : [at])), spans: plan.spans };
  };

  it("keeps the newest so many tokens, and gives the frame a third of what it stands for", () => {
    expect(fold({ tokens: 600 }, 9000)).toMatchObject({
      folded: [1, 2, 3, 4],
      spans: [{ maxTokens: 400, by: "digest" }],
    });
    expect(fold({ tokens: 599 }, 9000).folded).toEqual([1, 2, 3, 4, 5]);
    expect(fold({ tokens: 9000 }, 9000).folded).toEqual([]);
    expect(fold({ tokens: 600 }, 9000, { maxFrameTokens: 90, replace: "summary" }).spans).toMatchObject([
      { maxTokens: 90, by: "summary" },
    ]);
    expect(fold({ tokens: 1500 }, 9000).spans).toMatchObject([{ tokens: 300, maxTokens: 100 }]);
  });

  it("folds up to a line; the nearer of line and tokens wins", () => {
    expect(fold({ line: 2 }, 9000).folded).toEqual([1, 2]);
    expect(fold({ line: 2, tokens: 600 }, 9000).folded).toEqual([1, 2]);
    expect(fold({ line: 5, tokens: 600 }, 9000).folded).toEqual([1, 2, 3, 4]);
  });

  it("keeps fewer where they and the frame do not fit, and holds the frame shorter where nothing is left to fold", () => {
    expect(fold({ tokens: 600 }, 1600).folded).toEqual([1, 2, 3, 4]);
    expect(fold({ tokens: 600 }, 1599).folded).toEqual([1, 2, 3, 4, 5]);
    expect(fold({ tokens: 600 }, 700)).toMatchObject({ folded: [1, 2, 3, 4, 5, 6], spans: [{ maxTokens: 100 }] });
    expect(fold({ tokens: 600 }, 100).spans).toMatchObject([{ maxTokens: 64 }]);
  });

  it("an earlier frame alone is not told again", () => {
    const framed = said("user", words(frame({ kind: "summary", text: "what was said", covers: 4 })));
    const draft = draftOf(hundred(framed, user, answer, user));
    foldOlder({ stays: { line: 0 }, replace: "digest" })(draft, large);
    expect(draft.finish(large).spans).toEqual([]);
    const both = draftOf(hundred(framed, user, answer, user));
    foldOlder({ stays: { line: 1 }, replace: "digest" })(both, large);
    expect(both.finish(large).spans).toMatchObject([{ atoms: [0, 1] }]);
  });

  it("an earlier frame keeps its room beside a third of what came since, up to the largest frame", () => {
    const framed = said("user", words(frame({ kind: "summary", text: "what was said", covers: 4 })));
    const room = (maxFrameTokens?: number) => {
      const draft = draftOf(hundred(framed, user, answer, user));
      foldOlder({ stays: { line: 2 }, replace: "digest", maxFrameTokens })(draft, large);
      return draft.finish(large).spans;
    };
    expect(room()).toMatchObject([{ tokens: 900, maxTokens: 500 }]);
    expect(room(450)).toMatchObject([{ tokens: 900, maxTokens: 450 }]);
  });

  it("replaced by nothing, it has no frame", () => {
    expect(fold({ tokens: 600 }, 9000, { replace: "nothing" })).toEqual({ folded: [1, 2, 3, 4], spans: [] });
  });
});
