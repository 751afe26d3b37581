import { describe, expect, it } from "vitest";
import type { Atom } from "../atoms/atom.ts";
import { isMidfoldError } from "../errors/midfold-error.ts";
import type { Message } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { Draft } from "./draft.ts";
import { planFold } from "./plan-fold.ts";
import { setGoal } from "./set-goal.ts";
import { hold, type View } from "./view.ts";

const said = (role: Message["role"]): Message => ({ role, parts: [{ type: "text", text: "words" }] });

/** system 10, user 20, exchange of two messages 30 + 40, assistant 50, user 60, with 5 tokens beside them. */
function viewOf(holds: number[] = [hold.untouchable, 0, 0, 0, hold.untouchable]): View {
  const messages = [said("system"), said("user"), said("assistant"), said("tool"), said("assistant"), said("user")];
  const atom = (kind: Atom["kind"], first: number, last: number, tokens: number): Atom => {
    return { kind, first, last, tokens, pinned: false };
  };
  return {
    messages,
    weights: [10, 20, 30, 40, 50, 60],
    atoms: [
      atom("system", 0, 0, 10),
      atom("user", 1, 1, 20),
      atom("exchange", 2, 3, 70),
      atom("assistant", 4, 4, 50),
      atom("user", 5, 5, 60),
    ],
    holds: Uint8Array.from(holds),
    verbatim: new Set([5]),
    counter: getCounter("gpt-4o"),
    fixed: 5,
    start: 1,
    lastUser: 4,
    lastUserMessage: 5,
    earlier: new Map(),
  };
}
const roomy = { budget: 1000, target: 1000 };

describe("a draft knows at every moment what the request would cost", () => {
  it("starts with all messages and what stands beside them", () => {
    const draft = new Draft(viewOf());
    expect(draft.total).toBe(215);
    expect(draft.before).toBe(215);
    expect([0, 1, 2, 3, 4].map((atom) => draft.tokensOf(atom))).toEqual([10, 20, 70, 50, 60]);
    expect(draft.finish(roomy)).toMatchObject({
      decisions: Array.from({ length: 5 }, () => ({ do: "keep" })),
      cuts: [],
      spans: [],
      reasons: [],
      rungs: [],
      tokens: { before: 215, after: 215, budget: 1000, target: 1000, fixed: 5 },
    });
  });

  it("a dropped atom costs nothing, and is dropped once", () => {
    const draft = new Draft(viewOf());
    expect(draft.remains(2)).toBe(true);
    draft.drop(2);
    draft.drop(2);
    expect(draft.remains(2)).toBe(false);
    expect(draft.remains(1)).toBe(true);
    expect(draft.tokensOf(2)).toBe(0);
    expect(draft.total).toBe(145);
    expect(draft.finish(roomy).decisions[2]).toEqual({ do: "drop" });
  });

  it("folded atoms cost what their frame may cost", () => {
    const draft = new Draft(viewOf());
    const span = draft.openSpan("digest");
    draft.fold(3, span);
    draft.fold(2, span);
    draft.fold(2, span);
    expect(draft.total).toBe(95);
    draft.setFrame(span, 40);
    expect(draft.total).toBe(135);
    expect(draft.openSpans).toEqual([{ index: 0, tokens: 120, frame: 40 }]);
    draft.setFrame(span, 30);
    expect(draft.total).toBe(125);
    const plan = draft.finish(roomy);
    expect(plan.spans).toEqual([{ atoms: [2, 3], messages: 3, tokens: 120, maxTokens: 30, by: "digest" }]);
    expect(plan.decisions.map((decision) => decision.do)).toEqual(["keep", "keep", "fold", "fold", "keep"]);
    expect(plan.decisions[2]).toEqual({ do: "fold", span: 0 });
  });

  it("a span without a frame, or without atoms, is no span: what was folded into it is dropped", () => {
    const draft = new Draft(viewOf());
    const empty = draft.openSpan("digest");
    const plain = draft.openSpan("digest");
    const real = draft.openSpan("summary");
    draft.setFrame(empty, 10);
    draft.fold(2, plain);
    draft.fold(3, real);
    draft.setFrame(real, 20);
    const plan = draft.finish(roomy);
    expect(plan.spans).toEqual([{ atoms: [3], messages: 1, tokens: 50, maxTokens: 20, by: "summary" }]);
    expect(plan.decisions[2]).toEqual({ do: "drop", untold: true });
    expect(plan.decisions[3]).toEqual({ do: "fold", span: 0 });
  });

  it("a folded atom is not dropped, and a dropped one not folded", () => {
    const draft = new Draft(viewOf());
    const span = draft.openSpan("digest");
    draft.setFrame(span, 10);
    draft.fold(2, span);
    draft.drop(2);
    draft.drop(3);
    draft.fold(3, span);
    const plan = draft.finish(roomy);
    expect(plan.decisions[2]).toEqual({ do: "fold", span: 0 });
    expect(plan.decisions[3]).toEqual({ do: "drop" });
    expect(plan.spans[0]?.tokens).toBe(70);
  });
});

describe("cuts", () => {
  it("make one message of an atom smaller", () => {
    const draft = new Draft(viewOf());
    draft.cut(2, { message: 3, toTokens: 15 });
    expect(draft.tokensOfMessage(3)).toBe(15);
    expect(draft.tokensOfMessage(2)).toBe(30);
    expect(draft.tokensOf(2)).toBe(45);
    expect(draft.total).toBe(190);
    expect(draft.remains(2)).toBe(true);
    expect(draft.finish(roomy)).toMatchObject({
      cuts: [{ message: 3, toTokens: 15 }],
      decisions: [{ do: "keep" }, { do: "keep" }, { do: "clip", toTokens: 45 }, { do: "keep" }, { do: "keep" }],
    });
  });

  it("never make it larger, nor touch it where they would leave it as it is", () => {
    const draft = new Draft(viewOf());
    draft.cut(2, { message: 3, toTokens: 40 });
    draft.cut(3, { message: 4, toTokens: 400 });
    expect(draft.total).toBe(215);
    expect(draft.finish(roomy).cuts).toEqual([]);
    draft.cut(2, { message: 3, toTokens: 15 });
    draft.cut(2, { message: 3, toTokens: 20 });
    expect(draft.tokensOfMessage(3)).toBe(15);
    draft.cut(2, { message: 3, toTokens: 10 });
    expect(draft.tokensOfMessage(3)).toBe(10);
    expect(draft.total).toBe(185);
  });

  it("that take reasoning away count also where no token is known to go", () => {
    const draft = new Draft(viewOf());
    draft.cut(3, { message: 4, toTokens: 80, withoutReasoning: true });
    expect(draft.total).toBe(215);
    const plan = draft.finish(roomy);
    expect(plan.cuts).toEqual([{ message: 4, toTokens: 50, withoutReasoning: true }]);
    expect(plan.decisions[3]).toEqual({ do: "clip", toTokens: 50 });
  });

  it("add up: a note stays when the message is cut again", () => {
    const draft = new Draft(viewOf());
    draft.cut(2, { message: 3, toTokens: 25, note: "seen before" });
    draft.cut(2, { message: 2, toTokens: 12 });
    draft.cut(2, { message: 3, toTokens: 20 });
    expect(draft.finish(roomy).cuts).toEqual([
      { message: 2, toTokens: 12 },
      { message: 3, toTokens: 20, note: "seen before" },
    ]);
  });

  it("go with the atom they belong to, and with no other", () => {
    const draft = new Draft(viewOf());
    draft.cut(2, { message: 2, toTokens: 12 });
    draft.cut(2, { message: 3, toTokens: 15 });
    draft.cut(3, { message: 4, toTokens: 33 });
    draft.drop(2);
    expect(draft.total).toBe(215 - 70 - 17);
    expect(draft.finish(roomy).cuts).toEqual([{ message: 4, toTokens: 33 }]);
    draft.cut(2, { message: 3, toTokens: 1 });
    expect(draft.finish(roomy).cuts).toEqual([{ message: 4, toTokens: 33 }]);
    expect(draft.total).toBe(128);
  });
});

describe("a ladder of rungs", () => {
  const dropping = (name: string, atom: number, always?: boolean) => ({
    name,
    rule: `drops ${atom}`,
    strategy: (draft: Draft) => draft.drop(atom),
    ...(always === undefined ? {} : { always }),
  });

  it("is climbed only as far as the target", () => {
    const plan = planFold(viewOf(), { budget: 300, target: 200 }, [dropping("first", 1), dropping("second", 2)]);
    expect(plan.rungs).toEqual(["first"]);
    expect(plan.tokens.after).toBe(195);
    expect(plan.reasons).toEqual([{ rung: "first", rule: "drops 1", atoms: 1, freed: 20 }]);
  });

  it("reaches the target exactly and stops", () => {
    const plan = planFold(viewOf(), { budget: 300, target: 195 }, [dropping("first", 1), dropping("second", 2)]);
    expect(plan.rungs).toEqual(["first"]);
  });

  it("a rung that somebody asked for runs also where everything fits", () => {
    const plan = planFold(viewOf(), roomy, [
      dropping("first", 1),
      dropping("second", 2, true),
      dropping("third", 3, false),
    ]);
    expect(plan.rungs).toEqual(["second"]);
  });

  it("a rung that changed nothing is not named", () => {
    const idle = { name: "idle", rule: "does nothing", strategy: () => {} };
    expect(planFold(viewOf(), { budget: 300, target: 200 }, [idle, dropping("first", 1)]).rungs).toEqual(["first"]);
  });

  it("says how many atoms a rung touched: an atom that was clipped before is not counted twice", () => {
    const clip = {
      name: "clip",
      rule: "clips",
      strategy: (draft: Draft) => draft.cut(2, { message: 3, toTokens: 20 }),
    };
    const both = {
      name: "both",
      rule: "drops two",
      strategy: (draft: Draft) => {
        draft.drop(2);
        draft.drop(3);
      },
    };
    expect(planFold(viewOf(), { budget: 300, target: 100 }, [clip, both]).reasons).toEqual([
      { rung: "clip", rule: "clips", atoms: 1, freed: 20 },
      { rung: "both", rule: "drops two", atoms: 1, freed: 100 },
    ]);
  });

  it("that never makes it fit names all sizes", () => {
    const error = caught(() => planFold(viewOf(), { budget: 100, target: 100 }, [dropping("first", 1)]));
    expect(isMidfoldError(error, "CONTEXT_OVERFLOW")).toBe(true);
    expect(error).toMatchObject({
      message:
        "The conversation needs at least 195 tokens but only 100 fit: tools and system beside the messages 5, " +
        "system messages 10, last user message 60, pinned messages 0, other messages the settings keep 120. " +
        'Let more go, as the preset "agent" does, or use a larger window.',
      details: { needed: 195, budget: 100, fixed: 5, system: 10, lastUserMessage: 60, pinned: 0, kept: 120 },
    });
  });

  it("counts what is pinned apart from what the settings keep, as drafted", () => {
    const view = viewOf([hold.untouchable, hold.untouchable, 0, hold.stays, hold.untouchable]);
    const clip = {
      name: "clip",
      rule: "clips",
      strategy: (draft: Draft) => draft.cut(3, { message: 4, toTokens: 45 }),
    };
    const error = caught(() => planFold(view, { budget: 100, target: 100 }, [clip, dropping("first", 2)]));
    expect(error).toMatchObject({ details: { pinned: 20, kept: 45, needed: 140 } });
    expect((error as Error).message).toContain('use the preset "agent" or "chat", which clips it, or use a larger');
  });

  it("exactly at the budget it fits", () => {
    expect(planFold(viewOf(), { budget: 195, target: 100 }, [dropping("first", 1)]).tokens.after).toBe(195);
    expect(() => planFold(viewOf(), { budget: 194, target: 100 }, [dropping("first", 1)])).toThrow("at least 195");
  });
});

describe("how far down a fold goes", () => {
  it("a share of the room that can be freed at all, above what must stay", () => {
    expect(setGoal(viewOf(), { budget: 175, share: 0.4 })).toEqual({ budget: 175, target: 115 });
    expect(setGoal(viewOf(), { budget: 176, share: 0.4 })).toEqual({ budget: 176, target: 115 });
    expect(setGoal(viewOf(), { budget: 175, share: 1 })).toEqual({ budget: 175, target: 175 });
  });

  it("of the line that was crossed, where that is below the budget", () => {
    expect(setGoal(viewOf(), { budget: 275, trigger: 175, share: 0.4 })).toEqual({ budget: 275, target: 115 });
    expect(setGoal(viewOf(), { budget: 175, trigger: 275, share: 0.4 })).toEqual({ budget: 175, target: 115 });
  });

  it("what is held from `late` on is no room", () => {
    const view = viewOf([hold.untouchable, hold.late, hold.newest, hold.stays, hold.free]);
    expect(setGoal(view, { budget: 255, share: 0.5 })).toEqual({ budget: 255, target: 205 });
  });

  it("never over the line, also where what must stay is over it", () => {
    expect(setGoal(viewOf(), { budget: 50, share: 0.4 })).toEqual({ budget: 50, target: 50 });
    expect(setGoal(viewOf(), { budget: 300, trigger: 60, share: 0.4 })).toEqual({ budget: 300, target: 60 });
  });
});

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
