import { describe, expect, it } from "vitest";
import { groupAtoms } from "../atoms/group-atoms.ts";
import { matchToolPairs } from "../atoms/match-tool-pairs.ts";
import type { Message, Role } from "../message/message.ts";
import type { Part } from "../message/part.ts";
import { buildView } from "../plan/build-view.ts";
import { Draft, type Strategy } from "../plan/draft.ts";
import type { Plan } from "../plan/plan.ts";
import { presets } from "../presets/presets.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { clipNewest } from "./clip-newest.ts";
import { foldExchanges, foldMiddle } from "./fold-middle.ts";
import { rungsOf } from "./rungs.ts";
import { shortenTail } from "./shorten-tail.ts";

const counter = getCounter("gpt-4o");
const words: Part = { type: "text", text: "words" };
const said = (role: Role, ...parts: Part[]): Message => ({ role, parts: parts.length === 0 ? [words] : parts });
const call = (id: string): Part => ({ type: "tool-call", id, name: "look", input: "{}" });
const result = (callId: string): Part => ({ type: "tool-result", callId, content: [{ type: "text", text: "found" }] });

/** A conversation by letters, each with its weight: `s` system, `u` user, `a` assistant, `t` call, `r` result. */
function draftOf(
  pattern: string,
  weights: number[],
  fixed = 0,
  change: (message: Message, at: number) => Message = same,
) {
  let open = 0;
  const messages = [...pattern].map((letter, at) => {
    if (letter === "s") return change(said("system"), at);
    if (letter === "u") return change(said("user"), at);
    if (letter === "a") return change(said("assistant"), at);
    if (letter === "t") return change(said("assistant", call(`${at}`)), at);
    open = pattern.lastIndexOf("t", at);
    return change(said("tool", result(`${open}`)), at);
  });
  const atoms = groupAtoms(messages, weights, matchToolPairs(messages));
  return new Draft(buildView({ messages, weights, atoms, counter, fixed, preserveRoles: [] }));
}
const same = (message: Message) => message;
const large = { budget: 1_000_000, target: 1_000_000 };

/** Runs a strategy and finishes the plan, whatever the size. */
function run(draft: Draft, strategy: Strategy, goal: { budget: number; target: number }): Plan {
  strategy(draft, goal);
  return draft.finish(large);
}
/** What is left of each atom: its tokens, or how it went. */
const left = (plan: Plan) =>
  plan.decisions.map((decision, atom) =>
    decision.do === "keep"
      ? plan.atoms[atom]!.tokens
      : decision.do === "clip"
        ? `clip ${decision.toTokens}`
        : decision.do,
  );

describe("clip-newest", () => {
  const goal = { budget: 1000, target: 1000 };

  it("leaves alone what takes up to 85 % of the budget", () => {
    expect(run(draftOf("suaua", [100, 900, 900, 100, 650]), clipNewest(), goal).cuts).toEqual([]);
    expect(run(draftOf("suaua", [100, 900, 900, 100, 651]), clipNewest(), goal).cuts).toHaveLength(1);
  });

  it("clips results from half of the room on, since the frame can tell what they said", () => {
    const withOlder = (result: number) => draftOf("suautr", [100, 900, 900, 100, 50, result]);
    expect(run(withOlder(350), clipNewest(), goal).cuts).toEqual([]);
    expect(run(withOlder(500), clipNewest(), goal).cuts).toEqual([{ message: 5, toTokens: 350 }]);
  });

  it("clips the newest messages to half of what the rest of what must stay leaves", () => {
    expect(run(draftOf("suaua", [100, 900, 900, 100, 5000]), clipNewest(), goal).cuts).toEqual([
      { message: 4, toTokens: 400 },
    ]);
    // What stands beside the messages must stay too; what may be folded takes no room.
    expect(run(draftOf("suaua", [100, 700, 700, 100, 5000], 200), clipNewest(), goal).cuts).toEqual([
      { message: 4, toTokens: 300 },
    ]);
  });

  it("leaves them all the room that nothing else needs", () => {
    expect(run(draftOf("sua", [100, 100, 5000]), clipNewest(), goal).cuts).toEqual([{ message: 2, toTokens: 800 }]);
    expect(run(draftOf("suaua", [100, 150, 50, 100, 5000]), clipNewest(), goal).cuts).toEqual([
      { message: 4, toTokens: 600 },
    ]);
  });

  it("clips the newest results, not the call", () => {
    const plan = run(draftOf("suautr", [100, 900, 900, 100, 50, 5000]), clipNewest(), goal);
    expect(plan.cuts).toEqual([{ message: 5, toTokens: 350 }]);
    expect(left(plan)).toEqual([100, 900, 900, 100, "clip 400"]);
  });

  it("brings several large results to one level; what small ones leave is theirs", () => {
    const change = (message: Message, at: number) => {
      if (at === 2) return said("assistant", call("1"), call("2"), call("3"));
      return at > 2 ? said("tool", result(`${at - 2}`)) : message;
    };
    const plan = run(draftOf("uuarrr", [900, 100, 50, 60, 3000, 2000], 0, change), clipNewest(), goal);
    // Half of 900: 450, less 110 for the small ones.
    expect(plan.cuts).toEqual([
      { message: 4, toTokens: 170 },
      { message: 5, toTokens: 170 },
    ]);
    const uneven = run(draftOf("uuarrr", [900, 100, 50, 140, 200, 2000], 0, change), clipNewest(), goal);
    // 400 for three of them.
    expect(uneven.cuts.map((cut) => [cut.message, cut.toTokens])).toEqual([
      [3, 133],
      [4, 133],
      [5, 133],
    ]);
  });

  it("leaves the newest exchange to be told where less than 150 tokens of it could be shown", () => {
    const withOlder = (asked: number) => draftOf("suaua", [600, 900, 900, asked, 5000]);
    expect(run(withOlder(102), clipNewest(), goal).cuts.some((cut) => cut.message === 4)).toBe(false);
    expect(run(withOlder(100), clipNewest(), goal).cuts).toEqual([{ message: 4, toTokens: 150 }]);
  });

  it("clips the last words of the user where they alone are too large", () => {
    expect(run(draftOf("suau", [100, 900, 900, 5000]), clipNewest(), goal).cuts).toEqual([
      { message: 3, toTokens: 450 },
    ]);
    expect(run(draftOf("u", [5000]), clipNewest(), goal).cuts).toEqual([{ message: 0, toTokens: 1000 }]);
    // In no room at all, to a few words with a mark.
    expect(run(draftOf("su", [990, 5000]), clipNewest(), goal).cuts).toEqual([{ message: 1, toTokens: 12 }]);
  });

  it("clips both where both are too large, the newest messages first", () => {
    const twice = { budget: 2000, target: 2000 };
    const plan = run(draftOf("suaua", [100, 900, 900, 900, 5000]), clipNewest(), twice);
    expect(plan.cuts).toEqual([{ message: 4, toTokens: 500 }]);
    const both = run(draftOf("suaua", [100, 900, 900, 3000, 5000]), clipNewest(), twice);
    // The user's words are clipped as if they stood alone; of what they leave the newest message gets half.
    expect(both.cuts).toEqual([
      { message: 3, toTokens: 950 },
      { message: 4, toTokens: 475 },
    ]);
  });

  it("clips a request that there is work on further, so that the work has room beside it", () => {
    const worked = run(draftOf("suauaa", [100, 900, 900, 3000, 100, 100]), clipNewest(), {
      budget: 2000,
      target: 2000,
    });
    expect(worked.cuts).toEqual([{ message: 3, toTokens: 475 }]);
  });

  it.each([
    ["that are pinned", (message: Message) => ({ ...message, pinned: true })],
    ["that answer a call", () => said("user", result("x"), words)],
    ["with something unknown in them", () => said("user", words, { type: "other", data: {} } as unknown as Part)],
  ])("never clips words of the user %s", (_, change) => {
    const plan = run(
      draftOf("su", [100, 5000], 0, (message, at) => (at === 1 ? change(message) : message)),
      clipNewest(),
      goal,
    );
    expect(plan.cuts).toEqual([]);
  });

  it.each([
    ["a file", { type: "file", name: "a.txt", text: "x" }],
    ["an image", { type: "image", url: "https://example.com/a.png" }],
  ] as [string, Part][])("clips words of the user with %s", (_, part) => {
    const draft = draftOf("su", [100, 5000], 0, (message, at) => (at === 1 ? said("user", words, part) : message));
    expect(run(draft, clipNewest(), goal).cuts).toHaveLength(1);
  });

  it("does nothing to a conversation without a user whose newest message is pinned", () => {
    const draft = draftOf("sa", [100, 5000], 0, (message, at) => (at === 1 ? { ...message, pinned: true } : message));
    expect(run(draft, clipNewest(), goal).cuts).toEqual([]);
  });
});

describe("shorten-tail", () => {
  it("does nothing where it fits, and folds the oldest first until it does", () => {
    const digest = shortenTail({ replace: "digest" });
    expect(run(draftOf("uauau", [100, 100, 100, 100, 100]), digest, { budget: 500, target: 1 }).spans).toEqual([]);
    const plan = run(draftOf("uauau", [100, 100, 100, 100, 100]), digest, { budget: 350, target: 1 });
    expect(left(plan)).toEqual(["fold", "fold", 100, 100, 100]);
    expect(plan.spans).toEqual([{ atoms: [0, 1], messages: 2, tokens: 200, maxTokens: 50, by: "digest" }]);
  });

  it("a frame takes what room there is, up to its most; nothing stands for what is to be replaced by nothing", () => {
    const goal = { budget: 390, target: 1 };
    const weights = [200, 100, 100, 100, 100];
    expect(run(draftOf("uauau", weights), shortenTail({ replace: "summary" }), goal).spans).toMatchObject([
      { maxTokens: 90, by: "summary" },
    ]);
    expect(
      run(draftOf("uauau", weights), shortenTail({ replace: "digest", maxFrameTokens: 40 }), goal).spans,
    ).toMatchObject([{ maxTokens: 40, by: "digest" }]);
    const none = run(draftOf("uauau", weights), shortenTail({ replace: "nothing" }), goal);
    expect(none.spans).toEqual([]);
    expect(left(none)).toEqual(["drop", "drop", 100, 100, 100]);
  });

  it("leaves exchanges alone in a plain scope, and the user among assistant spans", () => {
    const goal = { budget: 350, target: 1 };
    const weights = [100, 50, 50, 100, 100, 100];
    expect(left(run(draftOf("utraau", weights), shortenTail({ replace: "nothing", scope: "plain" }), goal))).toEqual([
      "drop",
      100,
      "drop",
      100,
      100,
    ]);
    expect(
      left(run(draftOf("utraau", weights), shortenTail({ replace: "nothing", scope: "assistant-spans" }), goal)),
    ).toEqual([100, "drop", "drop", 100, 100]);
    expect(left(run(draftOf("utraau", weights), shortenTail({ replace: "nothing", scope: "all" }), goal))).toEqual([
      "drop",
      "drop",
      100,
      100,
      100,
    ]);
  });

  it("instructions from the middle go last", () => {
    const plan = run(draftOf("uasau", [100, 100, 100, 100, 100]), shortenTail({ replace: "nothing" }), {
      budget: 200,
      target: 1,
    });
    expect(left(plan)).toEqual(["drop", "drop", 100, "drop", 100]);
    const all = run(draftOf("uasau", [100, 100, 100, 100, 100]), shortenTail({ replace: "nothing" }), {
      budget: 150,
      target: 1,
    });
    expect(left(all)).toEqual(["drop", "drop", "drop", "drop", 100]);
  });

  it("goes on with the frame that is there, and makes it smaller where that is needed", () => {
    const open = (frame: number) => {
      const draft = draftOf("uauau", [100, 100, 100, 100, 300]);
      const span = draft.openSpan("summary");
      draft.fold(0, span);
      draft.setFrame(span, frame);
      return draft;
    };
    const goal = { budget: 350, target: 1 };
    expect(run(open(30), shortenTail({ replace: "digest" }), goal).spans).toEqual([
      { atoms: [0, 1, 2, 3], messages: 4, tokens: 400, maxTokens: 30, by: "summary" },
    ]);
    expect(run(open(90), shortenTail({ replace: "digest" }), goal).spans).toMatchObject([{ maxTokens: 50 }]);
    // Less than 20 tokens say nothing: then no frame at all.
    expect(run(open(90), shortenTail({ replace: "digest" }), { budget: 320, target: 1 }).spans).toMatchObject([
      { maxTokens: 20 },
    ]);
    expect(run(open(90), shortenTail({ replace: "digest" }), { budget: 319, target: 1 }).spans).toEqual([]);
    expect(run(open(50), shortenTail({ replace: "digest" }), { budget: 350, target: 1 }).spans).toMatchObject([
      { maxTokens: 50 },
    ]);
  });
});

describe("fold-middle", () => {
  const options = { head: { messages: 1 }, tail: { messages: 2 } } as const;
  const weights = Array.from({ length: 12 }, () => 100);

  it("is written by a model where the preset says so", () => {
    for (const replace of ["summary", "digest"] as const) {
      const plan = run(draftOf("uauauauauaua", weights), foldMiddle({ ...options, replace }), {
        budget: 1000,
        target: 800,
      });
      expect(plan.spans.map(({ by }) => by)).toEqual([replace]);
    }
  });

  it("what is folded later joins the frame that is there", () => {
    const draft = draftOf("uauauauauaua", weights);
    const span = draft.openSpan("digest");
    draft.fold(1, span);
    draft.setFrame(span, 50);
    const plan = run(draft, foldMiddle({ ...options, replace: "digest" }), { budget: 1000, target: 800 });
    expect(plan.spans).toHaveLength(1);
    expect(plan.spans[0]?.atoms[0]).toBe(1);
    expect(plan.tokens.after).toBeLessThanOrEqual(800);
    expect(plan.tokens.after).toBeGreaterThan(700);
  });

  it("a frame is smaller than what it stands for, and has a largest size", () => {
    const few = run(draftOf("uauau", [100, 100, 100, 100, 300]), foldMiddle({ ...options, replace: "digest" }), {
      budget: 690,
      target: 690,
    });
    expect(few.spans[0]!.maxTokens).toBeLessThanOrEqual(0.9 * few.spans[0]!.tokens);
    const capped = run(
      draftOf("uauauauauaua", weights),
      foldMiddle({ ...options, replace: "digest", maxFrameTokens: 60 }),
      {
        budget: 1000,
        target: 800,
      },
    );
    expect(capped.spans).toMatchObject([{ maxTokens: 60 }]);
  });

  it("ends that are above the low-water mark already still leave a frame between them", () => {
    const firm = { head: { messages: 2, firm: true }, tail: { messages: 4, firm: true }, replace: "digest" } as const;
    const plan = run(draftOf("uauauauauaua", weights), foldMiddle(firm), { budget: 1100, target: 300 });
    expect(left(plan)).toEqual([100, 100, ...Array.from({ length: 6 }, () => "fold"), 100, 100, 100, 100]);
    // A fifth of what it stands for.
    expect(plan.spans).toMatchObject([{ tokens: 600, maxTokens: 120 }]);
    const tight = run(draftOf("uauauauauaua", weights), foldMiddle(firm), { budget: 650, target: 300 });
    expect(tight.spans).toMatchObject([{ maxTokens: 50 }]);
    const heavy = weights.map((weight, at) => (at === 5 ? 5000 : weight));
    const long = run(draftOf("uauauauauaua", heavy), foldMiddle(firm), { budget: 5000, target: 300 });
    // 15 % of the budget, and 400 tokens where that is less.
    expect(long.spans).toMatchObject([{ maxTokens: 750 }]);
    const less = weights.map((weight, at) => (at === 5 ? 1900 : weight));
    expect(run(draftOf("uauauauauaua", less), foldMiddle(firm), { budget: 2000, target: 300 }).spans).toMatchObject([
      { tokens: 2400, maxTokens: 400 },
    ]);
    // What must stay without a preset that says so, such as newest calls: more would bring the next fold nearer.
    const held = { head: {}, tail: { messages: 4, firm: true }, replace: "digest" } as const;
    expect(run(draftOf("uauauauauaua", heavy), foldMiddle(held), { budget: 5000, target: 300 }).spans).toMatchObject([
      { maxTokens: 400 },
    ]);
  });

  it("fold-exchanges acts only where the budget cannot be met without", () => {
    const strategy = foldExchanges({ ...options, replace: "digest" });
    const exchanges = "utrtrtrtrua";
    const even = [...exchanges].map(() => 100);
    expect(run(draftOf(exchanges, even), strategy, { budget: 1100, target: 600 }).spans).toEqual([]);
    const plan = run(draftOf(exchanges, even), strategy, { budget: 1099, target: 600 });
    expect(plan.spans).toHaveLength(1);
    expect(plan.tokens.after).toBeLessThanOrEqual(600);
    expect(left(plan).filter((one) => one === "fold").length).toBeGreaterThan(1);
  });

  it("fold-exchanges clips a newest exchange that would push out all before it without a trace", () => {
    const strategy = foldExchanges({ ...options, replace: "digest" });
    const at = (budget: number) => {
      const plan = run(draftOf("utrtrutr", [50, 10, 900, 10, 900, 50, 10, 990]), strategy, { budget, target: budget });
      return { newest: left(plan).at(-1), frames: plan.spans.map(({ maxTokens }) => maxTokens) };
    };
    // Beside the last words of the user: 1000 tokens for the newest, and up to 400 for the head and the frame.
    expect(at(1450)).toEqual({ newest: 1000, frames: [350] });
    expect(at(1250)).toEqual({ newest: "clip 800", frames: [350] });
    expect(at(650)).toEqual({ newest: "clip 300", frames: [250] });
    expect(at(340)).toEqual({ newest: "fold", frames: [240] });
  });

  it("a newest exchange that there is no room to show is told, and nothing older shown in its stead", () => {
    const plan = run(draftOf("uauatr", [50, 50, 50, 50, 50, 900]), foldMiddle({ ...options, replace: "digest" }), {
      budget: 300,
      target: 300,
    });
    expect(left(plan).at(-1)).toBe("fold");
    expect(plan.tokens.after).toBeLessThanOrEqual(300);
    const shown = run(draftOf("uauatr", [50, 50, 50, 50, 50, 250]), foldMiddle({ ...options, replace: "digest" }), {
      budget: 450,
      target: 450,
    });
    expect(left(shown).at(-1)).toBe(300);
  });
});

describe("the ladder of a preset", () => {
  it("says for people what each rung does", () => {
    const rules = new Map(
      Object.values(presets).flatMap((preset) => rungsOf(preset).map(({ name, rule }) => [`${name}: ${rule}`, preset])),
    );
    const known = [
      "repeated-results: leave out outputs that newer ones say again",
      "drop-reasoning: leave out the reasoning of finished turns",
      "clip-newest: clip the newest messages",
      "fold-middle: fold the middle of the conversation",
      "fold-middle: retell the earliest assistant and tool messages",
      "fold-exchanges: fold old tool exchanges, since nothing else makes room",
      "shorten-tail: fold more of the recent messages",
      "clip-oversized: clip the largest messages that are left",
      ...Object.values(presets)
        .filter(({ rungs }) => rungs.includes("clip-results"))
        .map(({ maxResultTokens }) => `clip-results: clip old tool results to ${maxResultTokens} tokens`),
    ];
    expect([...rules.keys()].sort()).toEqual([...new Set(known)].sort());
  });

  it("where somebody said how much stays, the middle is everything older, and is folded also where all fits", () => {
    const ladder = rungsOf(presets.chat, { tokens: 100 } as never);
    const middle = ladder.find(({ name }) => name === "fold-middle");
    expect(middle).toMatchObject({ rule: "fold what is older than the newest messages", always: true });
    expect(rungsOf(presets.chat, { line: 3 } as never).find(({ name }) => name === "fold-middle")?.rule).toBe(
      "fold up to the line",
    );
    expect(ladder.filter(({ always }) => always === true)).toHaveLength(1);
    expect(rungsOf(presets.chat).some(({ always }) => always === true)).toBe(false);
  });

  it("hands its frame size on to the rungs that fold", () => {
    const preset = {
      ...presets.agent,
      rungs: ["shorten-tail"],
      replace: "digest",
      scope: "all",
      maxFrameTokens: 40,
    } as const;
    const [rung] = rungsOf(preset);
    const plan = run(draftOf("uauau", [200, 100, 100, 100, 100]), rung!.strategy, { budget: 390, target: 1 });
    expect(plan.spans).toMatchObject([{ maxTokens: 40, by: "digest" }]);
    const exchanges = rungsOf({
      ...preset,
      rungs: ["fold-exchanges"],
      head: { messages: 1 },
      tail: { messages: 1 },
    })[0]!;
    const other = run(
      draftOf(
        "utrtrtrtru",
        Array.from({ length: 10 }, () => 100),
      ),
      exchanges.strategy,
      { budget: 900, target: 600 },
    );
    expect(other.spans).toMatchObject([{ maxTokens: 40 }]);
  });

  it("results are clipped only over the budget where the scope is plain", () => {
    const clip = (scope: "plain" | "all", budget: number) => {
      const [rung] = rungsOf({ ...presets.agent, rungs: ["clip-results"], scope, maxResultTokens: 300 });
      return run(draftOf("utrtrtrtru", [10, 10, 900, 10, 900, 10, 900, 10, 900, 10]), rung!.strategy, {
        budget,
        target: 100,
      }).cuts;
    };
    expect(clip("all", 5000).map((cut) => cut.toTokens)).toEqual([300, 300]);
    expect(clip("plain", 5000)).toEqual([]);
    expect(clip("plain", 3000).length).toBeGreaterThan(0);
  });
});
