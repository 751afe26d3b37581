import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frame } from "../digest/frame.ts";
import type { FoldRecord } from "../plan/fold-record.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { fold } from "./fold.ts";
import { foldSync } from "./fold-sync.ts";
import { type CachePrices, callsPerTurn, paysWhileCold } from "./low-water.ts";
import { memoryCache } from "./memory-cache.ts";

interface Plain {
  readonly role: "user" | "assistant";
  readonly content: string;
}
const filler = "The pump in this hall was looked at, cleaned and put back to work. ";
/** Question and answer in turns. */
const talk = (length: number) =>
  Array.from(
    { length },
    (_, at): Plain => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: `Point ${at}: ${filler.repeat(4)}`,
    }),
  );

const counter = getCounter("gpt-4o");
const sizeOf = (messages: readonly Plain[]) =>
  counter.countMessages(
    messages.map(({ role, content }) => ({ role, parts: [{ type: "text" as const, text: content }] })),
  );
const budget = 3_000;
const given = { model: "gpt-4o", budget, preset: "agent", recall: 0 } as const;
const cold = { ...given, state: undefined, cacheIsCold: true } as const;

describe("a session whose cache is cold", () => {
  let full = talk(1);
  while (sizeOf(talk(full.length + 1)) <= budget) full = talk(full.length + 1);

  it("is folded before it is due, where the next turn would make it due", () => {
    expect(foldSync(full, { ...cold, cacheIsCold: false }).outcome).toBe("fits");
    const result = foldSync(full, cold);
    expect(result.outcome).toBe("folded");
    expect(result.tokens.after).toBeLessThan(result.tokens.before * 0.8);
    expect(result.state?.early).toBe(true);
  });

  it("to the same mark as one that is due: what is kept is written for the same price", () => {
    const due = foldSync(talk(full.length + 1), { ...given, state: undefined });
    expect(due.outcome).toBe("folded");
    const early = foldSync(full, cold);
    expect(Math.abs(early.tokens.target - due.tokens.target)).toBeLessThan(0.02 * budget);
    // In a larger room more is kept than of a conversation that somebody wants folded early.
    const large = talk(200);
    const size = sizeOf(large);
    const soon = foldSync(large, { ...cold, budget: size + 20 });
    const late = foldSync(large, { ...given, state: undefined, budget: size - 20 });
    expect([soon.outcome, late.outcome]).toEqual(["folded", "folded"]);
    expect(soon.tokens.target).toBeGreaterThan(0.55 * size);
    expect(Math.abs(soon.tokens.target - late.tokens.target)).toBeLessThan(0.02 * size);
  });

  it("has paid for its fold at once, whether it was due or not", () => {
    const late = { ...cold, model: "claude-sonnet-4-5", budget: Math.floor(budget * 0.9) };
    expect(foldSync(full, cold).tokens.breakEvenCalls).toBe(0);
    expect(foldSync(full, late).tokens.breakEvenCalls).toBe(0);
    expect(foldSync(full, { ...late, cacheIsCold: false }).tokens.breakEvenCalls).toBeGreaterThan(0);
  });

  it("is left alone where more than one turn still fits", () => {
    const room = talk(full.length - 3);
    expect(foldSync(room, cold)).toMatchObject({ outcome: "fits", changed: false });
    expect(foldSync(room, cold).messages).toBe(room);
  });

  it("counts the calls of a turn: an agent's work is folded before the turn that would not fit", () => {
    const tools = Array.from({ length: 40 }, (_, at) =>
      at === 0
        ? { role: "user", content: "Look at every hall." }
        : at % 2 === 1
          ? {
              role: "assistant",
              content: "",
              tool_calls: [{ id: `c${at}`, type: "function", function: { name: "look", arguments: `{"hall":${at}}` } }],
            }
          : { role: "tool", tool_call_id: `c${at - 1}`, content: `Hall ${at}: ${filler.repeat(8)}` },
    );
    const size = foldSync(tools, { ...cold, budget: 100_000 }).tokens.before;
    const at = (share: number) => foldSync(tools, { ...cold, budget: Math.ceil(size / share) }).outcome;
    expect(at(0.95)).toBe("folded");
    // Nearer to the mark than to the budget.
    expect(at(0.5)).toBe("fits");
  });

  it("goes by how many tokens shall stay, where that is said", () => {
    const chat = { ...cold, preset: "chat" } as const;
    const early = foldSync(full, { ...chat, retainTokens: 600 });
    expect(early.outcome).toBe("folded");
    // Nothing would be gained: all of it stays.
    expect(foldSync(full, { ...chat, retainTokens: 2_990 }).messages).toBe(full);
  });

  it("a single call has no cache, and is not folded for one", () => {
    const { state: _, ...single } = cold;
    for (const target of [undefined, 0.3]) {
      const settings = target === undefined ? single : { ...single, target };
      expect(foldSync(full, settings).messages).toBe(full);
    }
    expect(foldSync(talk(full.length + 4), single).tokens).not.toHaveProperty("breakEvenCalls");
  });

  it("sends what was folded early as it was, while all of it would still fit", async () => {
    const first = foldSync(full, cold);
    const { state } = first;
    for (const said of [{}, { cacheIsCold: false }, { cacheIsCold: true }]) {
      const again = foldSync(full, { ...given, state, ...said });
      expect(again.outcome).toBe("reused");
      expect(again.messages).toEqual(first.messages);
    }
    const cache = memoryCache();
    const { state: _, ...settings } = { ...cold, cache };
    const kept = await fold(full, settings);
    const next = await fold(full, { ...settings, cacheIsCold: false });
    expect(next.outcome).toBe("reused");
    expect(next.messages).toEqual(kept.messages);
  });

  it("but not in a window with room for twice as much", () => {
    const { state } = foldSync(full, cold);
    expect(foldSync(full, { ...cold, state, budget: 2 * budget }).outcome).toBe("fits");
  });

  it("a fold that was prepared comes into force early, and stays", async () => {
    const cache = memoryCache();
    const prepared = await fold(full.slice(0, -2), { ...given, cache, force: true });
    expect(prepared.state?.early).toBeUndefined();
    expect((await fold(full, { ...given, cache, cacheIsCold: false })).outcome).toBe("fits");
    const early = await fold(full, { ...given, cache, cacheIsCold: true });
    expect(early).toMatchObject({ outcome: "reused", state: { early: true, origin: prepared.state?.id } });
    const next = await fold(full, { ...given, cache, cacheIsCold: false });
    expect(next.messages).toEqual(early.messages);
  });

  it("that was folded before is folded again early, but not while it is nearer to that fold", () => {
    const { state } = foldSync(talk(full.length + 1), { ...given, state: undefined });
    let length = full.length + 2;
    const sent = (cacheIsCold: boolean) => foldSync(talk(length), { ...given, state, cacheIsCold });
    expect(sent(true).outcome).toBe("reused");
    while (foldSync(talk(length + 1), { ...given, state }).outcome === "reused") length++;
    expect(sent(false).outcome).toBe("reused");
    expect(sent(true).outcome).toBe("folded");
  });

  it("whose last fold could free no more is not folded again in every call", () => {
    const { state, tokens } = foldSync(full, cold);
    const tight = { ...cold, budget: tokens.after + 60 };
    expect(foldSync(full, { ...tight, state }).outcome).toBe("reused");
    // Had that fold come down further, what was said since would be worth folding.
    const grown: FoldRecord = { ...state!, tokens: { ...state!.tokens, after: 500 } };
    expect(foldSync(full, { ...tight, state: grown }).outcome).toBe("folded");
  });

  it("must be said with true or false", () => {
    expect(() => foldSync(full, { ...cold, cacheIsCold: 300 as never })).toThrow(
      "cacheIsCold must be true or false, not 300.",
    );
  });
});

describe("how early a fold may come", () => {
  const near = { line: 100_000, mark: 40_000, growth: 1_000 };
  const prices = { read: 0.1, write: 1.25 };
  const comes = (calls: number, callsPerTurn: number) =>
    paysWhileCold({ ...near, size: near.line - calls * near.growth + 1, callsPerTurn }, prices);

  it("as many calls as a turn of the user takes, at most as many as its write is worth keeping for", () => {
    expect([comes(1, 1), comes(2, 1), comes(12, 12), comes(13, 12)]).toEqual([true, false, true, false]);
    // 1.25 ÷ 0.06
    expect([comes(20, 100), comes(21, 100)]).toEqual([true, false]);
  });

  it("is no question where it is due: then other rules say whether it is repeated", () => {
    expect(paysWhileCold({ ...near, size: near.line, callsPerTurn: 1 }, prices)).toBe(true);
    expect(paysWhileCold({ ...near, size: near.line + 1, callsPerTurn: 1 }, prices)).toBe(false);
  });

  it("a turn is what the user says, not what a fold puts in the user's mouth", () => {
    const say = (role: "user" | "assistant" | "tool", text = "") => ({
      role,
      parts: [{ type: "text" as const, text }],
    });
    const turn = [say("user"), say("user"), say("assistant"), say("tool"), say("assistant")];
    expect(callsPerTurn([...turn, ...turn])).toBe(2);
    const note = foldSync(talk(60), { ...given, budget: 1_000 }).state!.texts.join("\n");
    const framed = frame({ kind: "digest", text: note, covers: 9, style: "fenced", sign: undefined });
    expect(callsPerTurn([say("user", framed), say("assistant"), ...turn])).toBe(3);
    expect(callsPerTurn([say("user")])).toBe(1);
  });
});

describe("whatever the session", () => {
  const sessions = fc.record({
    turns: fc.integer({ min: 1, max: 40 }),
    words: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 4, maxLength: 4 }),
    share: fc.double({ min: 0.3, max: 1.3, noNaN: true }),
    preset: fc.constantFrom("agent" as const, "chat" as const, "proxy" as const),
  });

  it("a cold cache folds nothing below its mark or far from its budget, and never over the budget", () => {
    let folded = 0;
    fc.assert(
      fc.property(sessions, ({ turns, words, share, preset }) => {
        const messages = Array.from({ length: 2 * turns + 1 }, (_, at) => ({
          role: at % 2 === 0 ? "user" : "assistant",
          content: `Point ${at}: ${"pump hall valve 17 ".repeat(words[at % words.length]!)}`,
        }));
        const size = foldSync(messages, { ...given, budget: 1e6, preset }).tokens.before;
        const options = { ...cold, preset, budget: Math.ceil(size / share) };
        let result: ReturnType<typeof foldSync>;
        try {
          result = foldSync(messages, options);
        } catch {
          // Too large even when folded, as without a cold cache.
          expect(() => foldSync(messages, { ...options, cacheIsCold: false })).toThrow();
          return;
        }
        expect(result.tokens.after).toBeLessThanOrEqual(options.budget);
        expect(foldSync(messages, options).messages).toEqual(result.messages);
        if (size > options.budget) return;
        if (result.outcome !== "folded") {
          expect(result.messages).toBe(messages);
          return;
        }
        folded++;
        expect(size).toBeGreaterThan(result.tokens.target);
        // One turn is one call here; halfway between mark and budget at least.
        expect(size + size / turns).toBeGreaterThan(options.budget);
        expect(size - result.tokens.target).toBeGreaterThanOrEqual(options.budget - size);
        const next = foldSync(messages, { ...options, cacheIsCold: false, state: result.state });
        expect(next.messages).toEqual(result.messages);
      }),
      { numRuns: Number(process.env.MIDFOLD_PROPERTY_RUNS ?? 60) * 4 },
    );
    expect(folded).toBeGreaterThan(3);
  });

  it("by the prices, a fold before it is due never costs more than waiting, after however many calls", () => {
    const cases = fc.record({
      line: fc.integer({ min: 2_000, max: 200_000 }),
      fill: fc.double({ min: 0, max: 1, noNaN: true }),
      lowest: fc.double({ min: 0.05, max: 0.95, noNaN: true }),
      growth: fc.integer({ min: 1, max: 20_000 }),
      callsPerTurn: fc.double({ min: 1, max: 60, noNaN: true }),
      prices: fc.record({
        read: fc.double({ min: 0, max: 1, noNaN: true }),
        write: fc.double({ min: 1, max: 2, noNaN: true }),
      }),
      calls: fc.integer({ min: 0, max: 400 }),
    });
    let early = 0;
    fc.assert(
      fc.property(cases, ({ line, fill, lowest, growth, callsPerTurn: perTurn, prices, calls }) => {
        const size = Math.round(line * fill);
        const mark = Math.round(line * lowest);
        if (!paysWhileCold({ size, line, mark, growth, callsPerTurn: perTurn }, prices)) return;
        early++;
        expect(size).toBeGreaterThanOrEqual(mark);
        const waiting = costOf(size, calls, { line, mark, growth, prices });
        const folding = costOf(mark, calls, { line, mark, growth, prices });
        expect(folding).toBeLessThanOrEqual(waiting + 1e-6 * waiting);
      }),
      { numRuns: 3_000 },
    );
    expect(early).toBeGreaterThan(100);
  });
});

/** All that so many calls after a cold one cost, each of which adds as much, and folds where it would be over the line. */
function costOf(
  first: number,
  calls: number,
  { line, mark, growth, prices }: { line: number; mark: number; growth: number; prices: CachePrices },
): number {
  let size = first;
  let cost = first * prices.write;
  for (let call = 0; call < calls; call++) {
    if (size + growth > line) {
      size = mark;
      cost += mark * prices.write;
    } else {
      cost += size * prices.read + growth * prices.write;
      size += growth;
    }
  }
  return cost;
}
