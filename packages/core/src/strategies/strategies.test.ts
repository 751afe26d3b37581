import { fromPattern, toPattern } from "@midfold/testkit";
import { describe, expect, it } from "vitest";
import { groupAtoms } from "../atoms/group-atoms.ts";
import { matchToolPairs } from "../atoms/match-tool-pairs.ts";
import type { Message } from "../message/message.ts";
import { buildView } from "../plan/build-view.ts";
import { Draft, type Strategy } from "../plan/draft.ts";
import type { View } from "../plan/view.ts";
import { presets } from "../presets/presets.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { assistantSpans } from "./assistant-spans.ts";
import { clipOversized } from "./clip-oversized.ts";
import { clipResults } from "./clip-results.ts";
import { composite, fullHistory } from "./composite.ts";
import { tokenBudget } from "./drop-oldest.ts";
import { dropReasoning } from "./drop-reasoning.ts";
import { foldMiddle } from "./fold-middle.ts";
import { repeatedResults } from "./repeated-results.ts";
import { rungsOf } from "./rungs.ts";
import { selective } from "./selective.ts";
import { shortenTail } from "./shorten-tail.ts";
import { slidingWindow } from "./sliding-window.ts";
import { middleOut, smart } from "./smart.ts";

const counter = getCounter("gpt-4o");

function viewOf(messages: readonly Message[], weigh: (message: Message) => number): View {
  const weights = messages.map(weigh);
  const atoms = groupAtoms(messages, weights, matchToolPairs(messages));
  return buildView({ messages, weights, atoms, counter, fixed: 0, preserveRoles: [] });
}

/** Every message weighs 100, so that targets read as numbers of messages. Brackets: folded, parentheses: dropped. */
function run(pattern: string | Message[], strategy: Strategy, target: number, budget = 1_000_000): string {
  const messages = typeof pattern === "string" ? fromPattern(pattern) : pattern;
  const draft = new Draft(viewOf(messages, () => 100));
  strategy(draft, { target, budget });
  const plan = draft.finish({ target, budget });
  return toPattern(messages, plan.decisions, plan.atoms);
}

describe("strategies, as patterns", () => {
  const fold = (head: number, tail: number, scope: "all" | "plain" = "all") =>
    foldMiddle({ head: { messages: head }, tail: { messages: tail }, replace: "digest", scope });

  it.each([
    ["nothing to do under the target", "suauaua", fold(1, 1), 700, "suauaua"],
    ["folds between head and tail", "suauauauaua", fold(2, 2), 700, "sua[uauaua]ua"],
    ["never cuts an exchange", "sutrtrtrtrua", fold(1, 5), 900, "su[trtrtr]trua"],
    ["keeps parallel calls and their results together", "suprrtrprrua", fold(1, 2), 900, "su[prrtrprr]ua"],
    ["keeps pinned messages where they are", "suaUauauaua", fold(1, 1), 800, "su[a]U[auaua]ua"],
    ["keeps instructions from the middle", "suaSauauaua", fold(1, 1), 800, "su[a]S[auaua]ua"],
    ["plain scope leaves exchanges alone", "suatruatruaua", fold(1, 1, "plain"), 1100, "su[a]tr[ua]tr[ua]ua"],
  ])("%s", (_, pattern, strategy, target, expected) => {
    expect(run(pattern, strategy, target)).toBe(expected);
  });

  it("sliding window keeps the last N messages and the system prompt", () => {
    expect(run("suauauaua", slidingWindow({ messages: 3 }), 500)).toBe("s(uauau)aua");
  });

  it("token budget drops the oldest first, and keeps system and recent", () => {
    expect(run("suauauaua", tokenBudget(), 500)).toBe("s(uaua)uaua");
  });

  it("selective truncation leaves out tool results, then other roles, never the user", () => {
    expect(run("sutrtrua", selective(), 790)).toBe("su{tr}trua");
    expect(run("suauatrua", selective(), 500)).toBe("su(a)u(atr)ua");
    expect(run("suAuatrua", selective(), 500)).toBe("suAu(atr)ua");
  });

  it("smart truncation keeps the first 2 and last 10, marked messages too", () => {
    expect(run("suauauauauauauaua", smart(), 1200)).toBe("sua(uaua)uauauauaua");
    expect(run("suauUuauauauauaua", smart(), 1200)).toBe("sua(u)U(ua)uauauauaua");
  });

  it("middle-out keeps a share of the start and as much of the end as fits", () => {
    expect(run("uauauauauauauauauaua", middleOut({ headPercent: 20 }), 1000)).toMatch(/^u\(.+\)(au|ua|a|u)+$/);
    expect(run("uauauauauauauauauaua", middleOut({ headPercent: 60 }), 1000)).toMatch(/^uaua\(.+\)(au|ua|a|u)+$/);
  });

  it("assistant spans: user messages stay, the earliest span goes first, retention holds", () => {
    const spans = assistantSpans({ retention: { messages: 4 }, replace: "digest" });
    expect(run("sutrtrauatrauaua", spans, 1450)).toBe("su[trtra]uatrauaua");
    expect(run("sutrtrauatrauaua", spans, 800)).toBe("su[trtra]u[atra]uaua");
    expect(run("sutrtrtrtr", assistantSpans({ retention: { messages: 2 }, replace: "digest" }), 300)).toBe(
      "su[trtrtr]tr",
    );
  });

  it("full history keeps everything", () => {
    expect(run("suauaua", fullHistory(), 100)).toBe("suauaua");
  });

  it("composite runs strategies in order until the target is met", () => {
    expect(
      run("sutrtrtrua", composite([selective({ preserveRoles: ["user", "assistant", "tool"] }), tokenBudget()]), 700),
    ).toBe("s(utr)trtrua");
  });

  it("shorten-tail folds on, oldest first, until the budget holds", () => {
    expect(run("suauauaua", shortenTail({ replace: "nothing" }), 100, 600)).toBe("s(uau)auaua");
  });
});

describe("rungs that cut single messages", () => {
  const weigh = (messages: Message[], strategy: Strategy, target: number, budget = 1_000_000) => {
    const draft = new Draft(viewOf(messages, (message) => counter.countMessage(message)));
    strategy(draft, { target, budget });
    return {
      plan: draft.finish({ target, budget }),
      pattern: toPattern(messages, draft.finish({ target, budget }).decisions, draft.view.atoms),
    };
  };

  it("clip-results clips old large results, oldest first, and spares the newest two exchanges", () => {
    const messages = fromPattern("sutRtRtRtRu");
    const { plan, pattern } = weigh(messages, clipResults({ maxTokens: 300 }), 10);
    expect(pattern).toBe("su{tRtR}tRtRu");
    expect(plan.cuts.map((cut) => cut.toTokens)).toEqual([300, 300]);
  });

  it("clip-oversized lowers the largest to one level and leaves the last user message alone", () => {
    const messages = fromPattern("sutRu");
    const total = messages.reduce((sum, message) => sum + counter.countMessage(message), 0);
    const { plan } = weigh(messages, clipOversized(), 0, total - 200);
    expect(plan.cuts).toHaveLength(1);
    expect(plan.tokens.after).toBeLessThanOrEqual(total - 200);
  });

  it("repeated-results leaves out the older output of a call that was made again", () => {
    const big = "line of output\n".repeat(200);
    const call = (id: string, input: string): Message => ({
      role: "assistant",
      parts: [{ type: "tool-call", id, name: "read", input }],
    });
    const result = (callId: string): Message => ({
      role: "tool",
      parts: [{ type: "tool-result", callId, content: [{ type: "text", text: big }] }],
    });
    const messages = [
      ...fromPattern("su"),
      call("1", '{"a":1}'),
      result("1"),
      call("2", '{"a":1}'),
      result("2"),
      ...fromPattern("u"),
    ];
    const { plan } = weigh(messages, repeatedResults(), 10);
    expect(plan.cuts.map((cut) => cut.message)).toEqual([3]);
    expect(plan.cuts[0]?.note).toContain("says this again");
  });

  it("drop-reasoning takes reasoning from finished turns only", () => {
    const thinking = (text: string): Message => ({
      role: "assistant",
      parts: [
        { type: "reasoning", text: "Let me think about this for a while. ".repeat(20), signature: "s" },
        { type: "text", text },
      ],
    });
    const messages = [...fromPattern("u"), thinking("one"), ...fromPattern("u"), thinking("two")];
    const { plan } = weigh(messages, dropReasoning(), 10);
    expect(plan.cuts.map((cut) => cut.message)).toEqual([1]);
    expect(plan.cuts[0]?.withoutReasoning).toBe(true);
  });

  it("every preset builds its ladder", () => {
    for (const preset of Object.values(presets)) expect(rungsOf(preset).map((rung) => rung.name)).toEqual(preset.rungs);
  });
});
