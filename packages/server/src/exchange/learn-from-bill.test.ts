import { describe, expect, it } from "vitest";
import type { Bill, BillReading } from "../learn/bills.ts";
import type { ExchangeTools } from "./ask.ts";
import { type Billed, learnFromBill } from "./learn-from-bill.ts";

const key = { tenant: "t", upstream: "u", model: "m" };

/** What is learned from one bill; `reading` is what the bills before it make of it. */
function learn(billed: Partial<Billed>, reading: Partial<BillReading> = {}, known?: number) {
  const seen = {
    bills: [] as [string, Bill][],
    proven: [] as number[],
    observed: [] as unknown[][],
    compared: [] as unknown[][],
    concluded: [] as [number, string][],
    warned: [] as object[],
    replied: [] as unknown[][],
  };
  const tools = {
    bills: {
      add(name: string, bill: Bill) {
        seen.bills.push([name, bill]);
        return { suspect: false, plateau: undefined, ...reading };
      },
    },
    limits: {
      prove: (_: unknown, tokens: number) => seen.proven.push(tokens),
      limitOf: () => (known === undefined ? undefined : { contextWindow: known }),
      learnConcluded: (_: unknown, window: number, evidence: string) => seen.concluded.push([window, evidence]),
    },
    calibrations: {
      observe: (...facts: unknown[]) => seen.observed.push(facts),
      compare: (...facts: unknown[]) => seen.compared.push(facts),
    },
    replies: { add: (...facts: unknown[]) => seen.replied.push(facts) },
    log: { warn: (facts: object) => seen.warned.push(facts) },
  } as unknown as ExchangeTools;
  const outcome = learnFromBill(tools, {
    ...{ key, countAs: "gpt-4o", conversation: "c", bytes: 4_000, counted: 1_000, windowIsStated: false },
    usage: { input: 1_100, cached: 0, output: 90 },
    ...billed,
  });
  return { ...seen, outcome };
}

describe("a bill", () => {
  it("corrects how the model is counted, proves that so much was read, and says how long the answer was", () => {
    const { outcome, proven, observed, compared, bills, replied } = learn({});
    expect(outcome).toEqual({ read: 1_100, trusted: true, warning: undefined });
    expect(proven).toEqual([1_100]);
    expect(replied).toEqual([[key, 90]]);
    expect(observed).toEqual([["t", "gpt-4o", 1_000, 1_100]]);
    expect(compared).toEqual([[key, 1_000, 1_100]]);
    expect(bills).toEqual([["t\nu\nm\nc", { bytes: 4_000, read: 1_100, counted: 1_000 }]]);
  });

  it("with a cached part larger than the whole counts both as read", () => {
    expect(learn({ usage: { input: 100, cached: 1_000, output: 90 } }).outcome.read).toBe(1_100);
    expect(learn({ usage: { input: 1_100, cached: 1_000, output: 90 } }).outcome.read).toBe(1_100);
    expect(learn({ usage: { input: 1_000, cached: 1_000, output: 90 } }).outcome.read).toBe(1_000);
  });

  it("far below what was counted says nothing about how we count", () => {
    expect(learn({ usage: { input: 499, cached: 0, output: 90 } })).toMatchObject({
      observed: [],
      compared: [],
      proven: [499],
    });
    expect(learn({ usage: { input: 500, cached: 0, output: 90 } }).observed).toHaveLength(1);
    expect(learn({ counted: undefined })).toMatchObject({ observed: [], compared: [], proven: [1_100] });
  });

  it("of no conversation is compared with no other", () => {
    expect(learn({ conversation: undefined }, { suspect: true, plateau: 3_000 })).toMatchObject({
      bills: [],
      outcome: { trusted: true, warning: undefined },
    });
  });

  it("that is suspect teaches nothing", () => {
    expect(learn({}, { suspect: true })).toMatchObject({
      ...{ proven: [], observed: [], compared: [], concluded: [], warned: [] },
      outcome: { trusted: false, warning: undefined },
    });
  });
});

describe("bills that stay the same while requests grow", () => {
  it("show that the upstream cuts the conversation: from then on it is folded to that", () => {
    const { outcome, concluded, proven, observed, warned } = learn({}, { plateau: 5_000 });
    expect(concluded).toEqual([[5_120, expect.stringMatching(/counted 5000 tokens.*it is folded to 5120/)]]);
    expect([proven, observed]).toEqual([[], []]);
    expect(outcome).toMatchObject({
      trusted: false,
      warning: { code: "context-critically-limited", message: concluded[0]![1] },
    });
    expect(warned).toEqual([{ upstream: "u", model: "m", window: 5_120, configured: false }]);
  });

  it("are rounded up to a usual size, and never below a usable one", () => {
    expect(learn({}, { plateau: 5_121 }).concluded[0]![0]).toBe(5_376);
    expect(learn({}, { plateau: 100 }).concluded[0]![0]).toBe(2_048);
  });

  it("teach nothing twice", () => {
    expect(learn({}, { plateau: 5_000 }, 5_120).concluded).toEqual([]);
    expect(learn({}, { plateau: 5_000 }, 8_000).concluded).toHaveLength(1);
  });

  it("only warn where the window is configured", () => {
    const { concluded, outcome, warned } = learn({ windowIsStated: true }, { plateau: 5_000 });
    expect(concluded).toEqual([]);
    expect(outcome.warning?.message).toMatch(/The configured window is larger than what it reads; set it to 5120\.$/);
    expect(warned).toEqual([expect.objectContaining({ configured: true })]);
  });
});
