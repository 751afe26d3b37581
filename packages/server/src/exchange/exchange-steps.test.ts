import { MidfoldError } from "@midfold/core";
import { outputReserve } from "@midfold/core/budget";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sizeOf } from "./exchange.ts";
import { kindOf, refused, run, type Said, type Stage, taken, tooLong, windowOf } from "./run-exchange.test-data.ts";
import { clampOutput, shortestReply, tightWindow } from "./window.ts";

describe("one request to a model", () => {
  it("goes out once where it fits, with what the transport needs to know", async () => {
    const { outcome, sent, requests } = await run({ window: windowOf(10_000), whole: 3_000, upstream: () => taken });
    expect(sent).toEqual([{ tokens: 3_000, max: null }]);
    expect(outcome).toMatchObject({ refusals: 0, attempts: 1, opened: { kind: "whole" } });
    expect(requests[0]).toMatchObject({
      ...{ method: "POST", path: "/chat/completions", query: "", retryAnswers: true, circuit: "t\nm" },
      headers: { "content-type": "application/json" },
    });
  });

  it("is folded to the window less the room for an answer", async () => {
    const { sent } = await run({ window: windowOf(10_000), whole: 30_000, upstream: () => taken });
    expect(sent).toEqual([{ tokens: 7_500, max: null }]);
  });

  it("lowers a limit on the answer that the window has no room for, and never below a short answer", async () => {
    const max = async (whole: number, asked: number, margin = 0) =>
      (await run({ window: windowOf(10_000, { asked, reserve: 2_000 }), whole, margin, upstream: () => taken }))
        .sent[0]!.max;
    expect(await max(3_000, 5_000)).toBe(5_000);
    expect(await max(3_000, 7_000)).toBe(7_000);
    expect(await max(3_000, 7_001)).toBe(7_000);
    expect(await max(3_000, 7_000, 100)).toBe(6_900);
    expect(clampOutput(windowOf(10_000, { asked: 5_000, reserve: 2_000 }), 9_900, 0)).toBe(shortestReply);
    expect(clampOutput(windowOf(10_000, { asked: 5_000, reserve: 300 }), 9_900, 0)).toBe(300);
    expect(clampOutput(windowOf(10_000, { asked: 200, reserve: 300 }), 9_900, 0)).toBe(200);
  });

  it("where even the smallest form is too large, leaves room for a short answer only", async () => {
    const window = windowOf(10_000, { reserve: 4_000, asked: 4_000 });
    const { sent, outcome } = await run({ window, whole: 30_000, smallest: 8_000, upstream: () => taken });
    expect(sent).toEqual([{ tokens: 10_000 - shortestReply - 100, max: shortestReply + 100 }]);
    expect(outcome).toMatchObject({ window: tightWindow(window) });
  });

  it("that nothing makes fit is an error where the window is known, and is the upstream's to judge where it is not", async () => {
    const stage = { whole: 30_000, smallest: 20_000, upstream: () => taken };
    for (const source of ["route", "upstream", "registry"] as const) {
      const { outcome, sent } = await run({ ...stage, window: windowOf(10_000, { source }) });
      expect([outcome, sent]).toEqual([expect.objectContaining({ code: "CONTEXT_OVERFLOW" }), []]);
    }
    for (const source of ["guess", "learned"] as const) {
      const { sent } = await run({ ...stage, window: windowOf(10_000, { source }) });
      expect(sent).toEqual([{ tokens: 30_000, max: null }]);
    }
  });

  it("that is too large by a count nobody has corrected is sent to a known window too, unless it is twice as large", async () => {
    const stage = { window: windowOf(10_000, { source: "route" }), whole: 30_000, upstream: () => taken } as const;
    const near = await run({ ...stage, smallest: 20_000, countIsGuess: true });
    expect(near.sent).toEqual([{ tokens: 30_000, max: null }]);
    const far = await run({ ...stage, smallest: 20_001, countIsGuess: true });
    expect([far.outcome, far.sent]).toEqual([expect.objectContaining({ code: "CONTEXT_OVERFLOW" }), []]);
  });

  it("shows as much of the newest exchange as it can, in two folds at most, and remembers only what it sends", async () => {
    // Beside a comfortable answer there is room for 6 000, beside a short one for 8 876.
    const window = windowOf(10_000, { reserve: 4_000, source: "route" });
    const at = async (roomy: "whole" | "part" | "none", tight: "whole" | "part" | "none") => {
      const newest = (room: number) => (room === 6_000 ? roomy : tight);
      const { sent, wishes, kept } = await run({ window, whole: 30_000, newest, upstream: () => taken });
      return { sent: sent.map(({ tokens }) => tokens), folds: wishes.length, kept };
    };
    expect(await at("whole", "whole")).toEqual({ sent: [6_000], folds: 1, kept: [] });
    expect(await at("part", "whole")).toEqual({ sent: [8_876], folds: 2, kept: [] });
    expect(await at("none", "whole")).toEqual({ sent: [8_876], folds: 2, kept: [] });
    expect(await at("part", "part")).toEqual({ sent: [6_000], folds: 2, kept: [6_000] });
    expect(await at("none", "part")).toEqual({ sent: [8_876], folds: 2, kept: [8_876] });
    expect(await at("none", "none")).toEqual({ sent: [8_876], folds: 2, kept: [8_876] });
  });

  it("fails with the error of the fold where that is another one", async () => {
    const fails = new MidfoldError("ABORTED", "Stopped.");
    const { outcome, wishes } = await run({ window: windowOf(10_000), whole: 3_000, fails, upstream: () => taken });
    expect([outcome, wishes.length]).toEqual([fails, 1]);
  });
});

describe("a request that the upstream calls too long", () => {
  it("is first sent with a lower limit on the answer, where the input itself fits", async () => {
    const upstream = ({ tokens, max }: Said) => (tokens + max! > 8_000 ? tooLong(8_000, tokens) : taken);
    const window = windowOf(10_000, { asked: 3_000, reserve: 3_000 });
    const { sent, outcome } = await run({ window, whole: 6_000, upstream });
    expect(sent).toEqual([
      { tokens: 6_000, max: 3_000 },
      { tokens: 6_000, max: 8_000 - 6_000 - 24 },
    ]);
    expect(outcome).toMatchObject({ refusals: 1, attempts: 2, opened: { kind: "whole" } });
  });

  it("is folded to the limit that was named, which is learned with the reason", async () => {
    const upstream = ({ tokens }: Said) => (tokens > 5_000 ? tooLong(5_000, tokens) : taken);
    const { sent, learned, compared, warned, outcome } = await run({
      ...{ window: windowOf(20_000), whole: 12_000, upstream },
    });
    expect(outcome).toMatchObject({ window: { tokens: 5_000, source: "learned", reserve: 2_500 } });
    expect(sent.map(({ tokens }) => tokens)).toEqual([12_000, Math.floor((5_000 - 2_500) * 0.97)]);
    expect(learned).toEqual([
      {
        how: "stated",
        window: 5_000,
        evidence: expect.stringMatching(/12000 tokens and named a limit of 5000: "This model's/),
      },
    ]);
    expect(compared).toEqual([[12_000, 12_000]]);
    expect(warned).toEqual([]);
  });

  it("is folded harder by as much as the upstream counts more, up to four times", async () => {
    for (const [factor, counts] of [
      [1.5, 1.5],
      [9, 4],
      [0.5, 1],
    ] as const) {
      const upstream = (said: Said, at: number) =>
        at === 0 ? tooLong(5_000, Math.max(5_001, said.tokens * factor)) : taken;
      const { sent } = await run({ window: windowOf(20_000, { reserve: 1_000 }), whole: 12_000, upstream });
      expect(sent[1]!.tokens).toBe(Math.floor(((5_000 - 1_000) / counts) * 0.97));
    }
  });

  it("of a configured window is made smaller without learning, and the operator is told", async () => {
    const upstream = ({ tokens }: Said) => (tokens > 5_000 ? tooLong(5_000, tokens) : taken);
    const { sent, learned, warned } = await run({
      window: windowOf(20_000, { source: "route" }),
      whole: 12_000,
      upstream,
    });
    expect(sent).toHaveLength(2);
    expect(learned).toEqual([]);
    expect(warned).toEqual(["the upstream's window is smaller than the configured one"]);
  });

  it("and names the window we know, teaches nothing new", async () => {
    const upstream = (_: Said, at: number) => (at === 0 ? tooLong(10_000, 10_500) : taken);
    for (const source of ["route", "registry"] as const) {
      const { learned, warned, outcome } = await run({ window: windowOf(10_000, { source }), whole: 7_000, upstream });
      expect([learned, warned]).toEqual([[], []]);
      expect(outcome).toMatchObject({ window: { source } });
    }
  });

  it("without a figure is sent at three quarters, which is learned once it was taken", async () => {
    const upstream = ({ tokens }: Said) => (tokens > 9_500 ? refused("prompt is too long") : taken);
    const { sent, learned } = await run({ window: windowOf(20_000, { reserve: 2_000 }), whole: 12_000, upstream });
    expect(sent.map(({ tokens }) => tokens)).toEqual([12_000, 9_000]);
    expect(learned).toEqual([
      { how: "concluded", window: 11_000, evidence: expect.stringContaining("took one of 9000") },
    ]);
    const never = await run({
      window: windowOf(20_000, { reserve: 2_000 }),
      whole: 12_000,
      upstream: () => refused("prompt is too long"),
    });
    expect(never.sent.map(({ tokens }) => tokens)).toEqual([12_000, 9_000, 6_750]);
    expect(never.learned).toEqual([]);
    const configured = { reserve: 2_000, source: "route" } as const;
    expect((await run({ window: windowOf(20_000, configured), whole: 12_000, upstream })).learned).toEqual([]);
  });

  it("in words nobody knows, is one only where the number is near what was sent", async () => {
    const words = (input: number) => refused(`Sequence of ${input} exceeds 4000 in this deployment.`);
    const once = async (input: number, more: Partial<Stage> = {}) =>
      run({
        ...{ window: windowOf(20_000), whole: 10_000, ...more },
        upstream: ({ tokens }) => (tokens > 4_000 ? words(input) : taken),
      });
    for (const near of [7_001, 10_000, 12_999]) expect((await once(near)).sent).toHaveLength(2);
    for (const far of [6_999, 13_001]) {
      const { sent, outcome, learned } = await once(far);
      expect([sent.length, kindOf(outcome), learned]).toEqual([1, "failed", []]);
      expect(outcome).toMatchObject({ opened: { error: { code: "UPSTREAM_REJECTED", status: 400 } } });
      expect((outcome as { opened: { error: MidfoldError } }).opened.error.details).not.toHaveProperty("limit");
    }
    // The sum of input and answer may be what it names, and what was not counted is counted for it.
    expect((await once(14_000, { window: windowOf(20_000, { asked: 4_000 }) })).sent).toHaveLength(2);
    expect((await once(10_000, { counted: false })).sent.length).toBeGreaterThan(1);
  });

  it("is understood by the sum that was asked for, and by a limit only where that can be one", async () => {
    const window = windowOf(10_000, { asked: 3_000, reserve: 3_000 });
    const sum = (limit: number, both: number) =>
      refused(`This model's maximum context length is ${limit} tokens. However, you requested ${both} tokens.`);
    const { sent } = await run({
      ...{ window, whole: 6_000 },
      upstream: ({ tokens, max }) => (tokens + max! > 8_000 ? sum(8_000, tokens + max!) : taken),
    });
    expect(sent[1]).toEqual({ tokens: 6_000, max: 8_000 - 6_000 - 24 });
    const absurd = await run({
      ...{ window: windowOf(20_000), whole: 12_000 },
      upstream: ({ tokens }) => (tokens > 9_500 ? tooLong(255, tokens) : taken),
    });
    expect(absurd.sent.map(({ tokens }) => tokens)).toEqual([12_000, 9_000]);
    const smallest = await run({
      ...{ window: windowOf(20_000), whole: 12_000 },
      upstream: ({ tokens }) => (tokens > 256 ? tooLong(256, tokens) : taken),
    });
    expect(smallest.sent.at(-1)!.tokens).toBeLessThan(256);
  });

  it("although input and answer fit the limit it names, is not sent again: there is nothing to make smaller", async () => {
    const { sent, outcome } = await run({
      ...{ window: windowOf(10_000, { asked: 3_000, reserve: 3_000 }), whole: 6_000 },
      upstream: () => tooLong(10_000, 6_000),
    });
    expect([sent, kindOf(outcome)]).toEqual([[{ tokens: 6_000, max: 3_000 }], "failed"]);
  });

  it("without a figure is also asked for a shorter answer, and never for less than a short one", async () => {
    const max = async (whole: number, asked: number) => {
      const upstream = (_: Said, at: number) => (at === 0 ? refused("prompt is too long") : taken);
      const { sent } = await run({ window: windowOf(20_000, { asked, reserve: 2_000 }), whole, upstream });
      return sent[1]!.max;
    };
    expect(await max(12_000, 4_000)).toBe(2_000);
    expect(await max(2_000, 4_000)).toBe(shortestReply);
    expect(await max(12_000, 500)).toBe(500);
  });

  it("and cannot be made any smaller, is not sent again", async () => {
    const { sent, outcome } = await run({
      ...{ window: windowOf(20_000), whole: 12_000, stubborn: true },
      upstream: () => refused("prompt is too long"),
    });
    expect([sent.length, kindOf(outcome)]).toEqual([1, "failed"]);
    const tight = await run({
      ...{ window: windowOf(20_000), whole: 12_000, smallest: 11_900 },
      upstream: () => refused("prompt is too long"),
    });
    expect(tight.sent).toHaveLength(1);
  });

  it("is sent on in the upstream's words where nothing may be folded", async () => {
    const { sent, outcome } = await run({
      window: windowOf(10_000, { asked: 4_000 }),
      whole: 30_000,
      mayFold: false,
      upstream: ({ tokens }) => tooLong(10_000, tokens),
    });
    expect(sent).toEqual([{ tokens: 30_000, max: 4_000 }]);
    expect(outcome).toMatchObject({ refusals: 0, opened: { kind: "failed", error: { code: "UPSTREAM_OVERFLOW" } } });
  });

  it("is not asked again where another error came", async () => {
    const { sent } = await run({ window: windowOf(10_000), whole: 3_000, upstream: () => refused("No such tool") });
    expect(sent).toHaveLength(1);
  });

  it("whatever it names: at most three requests, no two the same, never larger and never with more room to answer", async () => {
    let again = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          whole: fc.integer({ min: 500, max: 60_000 }),
          smallest: fc.integer({ min: 100, max: 3_000 }),
          tokens: fc.integer({ min: 2_000, max: 40_000 }),
          asked: fc.option(fc.integer({ min: 100, max: 8_000 }), { nil: undefined }),
          real: fc.integer({ min: 300, max: 40_000 }),
          counts: fc.double({ min: 0.7, max: 2, noNaN: true }),
          says: fc.constantFrom("both", "nothing"),
        }),
        async ({ whole, smallest, tokens, asked, real, counts, says }) => {
          const upstream = (said: Said) => {
            const input = Math.ceil(said.tokens * counts);
            if (input + (said.max ?? 0) <= real) return taken;
            return says === "both" ? tooLong(real, input) : refused("prompt is too long");
          };
          const reserve = outputReserve({ window: tokens, maxOutput: 4_000, asked });
          const { sent } = await run({ window: windowOf(tokens, { asked, reserve }), whole, smallest, upstream });
          expect(sent.length).toBeLessThanOrEqual(3);
          if (sent.length > 1) again += 1;
          for (const [at, next] of sent.slice(1).entries()) {
            const before = sent[at]!;
            expect(next).not.toEqual(before);
            expect(next.tokens).toBeLessThanOrEqual(before.tokens);
            expect(next.max ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(before.max ?? Number.POSITIVE_INFINITY);
          }
        },
      ),
      { numRuns: 300 },
    );
    expect(again).toBeGreaterThan(30);
  });
});

describe("an upstream that refuses to be asked for the usage of a stream", () => {
  const refusal = () => refused("Unknown field: stream_options");

  it("is asked once more without, and remembered", async () => {
    const stage = {
      window: windowOf(10_000),
      whole: 3_000,
      upstream: (_: Said, at: number) => (at === 0 ? refusal() : taken),
    };
    const { sent, outcome } = await run({ ...stage, stream: true });
    expect(sent).toHaveLength(2);
    expect(outcome).toMatchObject({ attempts: 2, refusals: 0, opened: { kind: "whole" } });
    expect((await run({ ...stage, stream: false })).sent).toHaveLength(1);
  });

  it.each([
    [422, "stream_options is not permitted", 2],
    [400, "temperature is not permitted", 1],
    [422, "temperature is not permitted", 1],
    [404, "stream_options is not permitted", 1],
  ])("by a %i with the words %s, is asked %i times", async (status, words, times) => {
    const upstream = (_: Said, at: number) => (at === 0 ? refused(words, status) : taken);
    const { sent } = await run({ window: windowOf(10_000), whole: 3_000, stream: true, upstream });
    expect(sent).toHaveLength(times);
  });

  it("and refuses that too, is not asked a third time", async () => {
    const { sent, outcome } = await run({ window: windowOf(10_000), whole: 3_000, stream: true, upstream: refusal });
    expect([sent.length, kindOf(outcome)]).toEqual([2, "failed"]);
  });
});

it("the size of a body is that of its bytes", () => {
  expect(sizeOf("ä")).toBe(2);
  expect(sizeOf(Buffer.from("abc"))).toBe(3);
  expect(sizeOf([Buffer.from("abc"), Buffer.from("ä")])).toBe(5);
});
