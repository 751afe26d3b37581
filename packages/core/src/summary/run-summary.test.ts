import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyMessages, anyText, assistant, call, result, user } from "../digest/arbitrary-messages.test-data.ts";
import { frameMessage } from "../digest/frame.ts";
import { noLines, renderLines } from "../digest/lines.ts";
import { isMidfoldError, MidfoldError } from "../errors/midfold-error.ts";
import { ApproximateCounter } from "../tokens/approximate-counter.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { acceptSummary, extractTagged } from "./accept-summary.ts";
import { checkAndRepair } from "./check-and-repair.ts";
import { createExtractiveSummarizer } from "./extractive-summarizer.ts";
import { type RunSummaryOptions, runSummary } from "./run-summary.ts";
import type { Summarizer, SummaryRequest, SummaryResult } from "./summarizer.ts";

const counter = new ApproximateCounter();
const talk = [
  user(
    "I am going to Seattle on Friday. I must never fly before 9:00. Book flight HAT170 for mia_li_3668, at most $350.",
  ),
  call("1", "search", { from: "JFK", to: "SEA" }),
  result("1", `{"flights": [{"flight_number": "HAT170", "price": 305}], "note": "${"filler ".repeat(200)}"}`),
  assistant("I booked HAT170 for $305, reservation 4WQ150. Do you want insurance?"),
];

interface Script {
  readonly answers: readonly (Partial<SummaryResult> | Error)[];
}

/** A summarizer that answers from a script and remembers what it was asked. */
function scripted({ answers }: Script): { summarizer: Summarizer; requests: SummaryRequest[]; sleeps: number[] } {
  const requests: SummaryRequest[] = [];
  const summarizer: Summarizer = {
    name: "scripted",
    async summarize(request) {
      requests.push(request);
      const answer = answers[Math.min(requests.length - 1, answers.length - 1)]!;
      if (answer instanceof Error) throw answer;
      return { text: "", finish: "complete", ...answer };
    },
  };
  return { summarizer, requests, sleeps: [] };
}

function run(script: Script, more: Partial<RunSummaryOptions> = {}) {
  const made = scripted(script);
  const outcome = runSummary({
    summarizer: made.summarizer,
    messages: talk,
    counter,
    maxTokens: 300,
    sleep: async (ms) => {
      made.sleeps.push(ms);
    },
    now: () => 1000,
    ...more,
  });
  return { ...made, outcome };
}

const good = { text: "<summary>The user wanted a flight to Seattle and it was booked.</summary>", model: "m" };

describe("runSummary", () => {
  test("takes a good summary, and repairs what it lost", async () => {
    const { outcome } = run({ answers: [good] });
    const made = await outcome;
    expect(made).toMatchObject({
      kind: "summary",
      model: "m",
      text: "The user wanted a flight to Seattle and it was booked.",
      breaker: { failures: 0 },
    });
    expect(made.ledger.rules).toContain("I must never fly before 9:00.");
    const ledger = made.ledger.log?.join("\n") ?? "";
    for (const exact of ["mia_li_3668", "HAT170", "4WQ150", "$305"])
      expect(`${ledger}${made.ledger.rules}`).toContain(exact);
    expect(made.report.lost).toBeLessThan(made.report.repaired);
    const ledgerText = renderLines({ ...noLines, ...made.ledger });
    expect(counter.count(`${made.text}\n${ledgerText}`)).toBeLessThanOrEqual(300);
  });

  test.each([
    ["empty", { text: "  " }],
    ["cut-off", { text: "The user", finish: "cut-off" as const }],
    ["cut-off", { text: "<summary>The user" }],
    ["tool-call", { text: "", finish: "tool-call" as const }],
    ["refused", { text: "I'm sorry, I can't help with that." }],
    ["not-smaller", { text: "word ".repeat(230) }],
  ])("%s is a failure: tried again with less, then the digest stands in", async (fault, answer) => {
    const replaced = fault === "not-smaller" ? { messages: [user("a short question about tea")] } : {};
    const { outcome, requests } = run({ answers: [answer] }, replaced);
    const made = await outcome;
    expect(made.kind).toBe("digest");
    expect(made.attempts.map((attempt) => attempt.outcome)).toEqual([fault, fault, fault]);
    expect(made.attempts[1]!.inputTokens).toBeLessThan(made.attempts[0]!.inputTokens);
    expect(requests).toHaveLength(3);
    expect(made.breaker).toMatchObject({ failures: 1 });
    expect(made.breaker.retryAt).toBeGreaterThan(1000);
  });

  test("waits longer each time a call fails, then goes on with the first answer", async () => {
    const { outcome, sleeps } = run({ answers: [new Error("socket"), new Error("socket"), good] });
    expect((await outcome).kind).toBe("summary");
    expect(sleeps).toEqual([500, 1000]);
  });

  test("an overflow halves the input; an error that will not pass is not tried again", async () => {
    const overflow = new MidfoldError("CONTEXT_OVERFLOW", "too long");
    const halved = await run({ answers: [overflow, good] }).outcome;
    const [first, second] = halved.attempts.map((attempt) => attempt.inputTokens);
    // Half of what was asked, which is less than the limit.
    expect(first).toBeLessThan(100_000);
    expect(second).toBe(Math.floor(first! / 2));
    const denied = run({ answers: [new MidfoldError("VALIDATION_ERROR", "no such model")] });
    expect((await denied.outcome).kind).toBe("digest");
    expect(denied.requests).toHaveLength(1);
  });

  test("stops asking after three failures in a row, until the pause is over", async () => {
    let breaker = { failures: 0, retryAt: 0 };
    const script = { answers: [new Error("down")] };
    for (let i = 0; i < 3; i++) breaker = (await run(script, { breaker, now: () => breaker.retryAt }).outcome).breaker;
    expect(breaker.failures).toBe(3);
    const paused = run(script, { breaker, now: () => breaker.retryAt - 1 });
    expect((await paused.outcome).kind).toBe("digest");
    expect(paused.requests).toHaveLength(0);
    const over = await run({ answers: [good] }, { breaker, now: () => breaker.retryAt }).outcome;
    expect(over).toMatchObject({ kind: "summary", breaker: { failures: 0 } });
  });

  test("throws SUMMARY_FAILED where no fallback is wanted, and ABORTED when cancelled", async () => {
    const failed = run({ answers: [new Error("down")] }, { policy: { fallback: "throw", attempts: 1 } }).outcome;
    await expect(failed).rejects.toSatisfy((error) => isMidfoldError(error, "SUMMARY_FAILED"));
    const aborted = run({ answers: [good] }, { signal: AbortSignal.abort() }).outcome;
    await expect(aborted).rejects.toSatisfy((error) => isMidfoldError(error, "ABORTED"));
  });

  test("cascades: a frame among the messages becomes the previous summary, and its constraints are carried on", async () => {
    const frame = frameMessage({
      kind: "summary",
      text: "They met.",
      covers: 9,
      ledger: { rules: ["Never call me Bob"], log: ["user: code ZX-81"] },
    });
    const { outcome, requests } = run({ answers: [good] }, { messages: [frame, ...talk], believes: () => true });
    const made = await outcome;
    expect(requests[0]!.previous).toContain("They met.");
    expect(requests[0]!.prompt).toContain("They met.");
    expect(made.ledger.rules).toContain("Never call me Bob");
    expect(made.ledger.log?.join()).toContain("ZX-81");
  });
});

describe("acceptSummary", () => {
  test("is never over its bound and ends at a sentence", () => {
    let taken = 0;
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 60 }), (text, maxTokens) => {
        const made = acceptSummary({ text, finish: "complete" }, { counter, maxTokens, replacedTokens: 1e6 });
        if (!made.accepted) return;
        taken++;
        expect(counter.count(made.text)).toBeLessThanOrEqual(maxTokens);
      }),
    );
    // A property that checked nothing has shown nothing.
    expect(taken).toBeGreaterThan(30);
    const long = acceptSummary(
      { text: "One fine day. Two birds sang here. Three more words follow now", finish: "complete" },
      { counter, maxTokens: 12, replacedTokens: 999 },
    );
    expect(long).toMatchObject({ accepted: true, clipped: true, text: "One fine day. Two birds sang here." });
  });

  test("whatever the bound, no sentence is cut while a whole one fits, and no heading is last", () => {
    const points = [
      "- The port is 8431.",
      '- The host is `example.org` in "Berlin" (for now) and all follows from it.',
    ];
    const text = `## Key Points\n${points.join("\n")}\n\n## Decisions\nWe agreed on this:\n- We ship on Friday: all of it.`;
    const whole = ["is 8431.", "from it.", "all of it."];
    const ends = new Set<string>();
    const exact = getCounter("gpt-4o");
    const least = exact.count(`## Key Points\n${points[0]}`);
    for (let maxTokens = least; maxTokens <= exact.count(text); maxTokens++) {
      const made = acceptSummary(
        { text, finish: "complete" },
        { counter: exact, maxTokens, replacedTokens: Number.POSITIVE_INFINITY },
      );
      if (!made.accepted) throw new Error(made.fault);
      expect(made.tokens).toBeLessThanOrEqual(maxTokens);
      const end = whole.find((one) => made.text.endsWith(one));
      expect(end, made.text).toBeDefined();
      ends.add(end!);
    }
    expect([...ends]).toEqual(whole);
  });

  test("extractTagged", () => {
    expect(extractTagged("a <s>b <s>c</s> d", "s")).toBe("b <s>c");
    expect(extractTagged(" plain ", "s")).toBe("plain");
    expect(extractTagged("<s>open", "s")).toBeUndefined();
  });
});

describe("checkAndRepair", () => {
  test("never over its budget, and every fact is kept, repaired or lost", () => {
    fc.assert(
      fc.property(anyMessages, anyText, fc.integer({ min: 0, max: 200 }), (messages, summary, ledgerTokens) => {
        const { ledger, report } = checkAndRepair(summary, messages, { counter, ledgerTokens });
        const text = renderLines({ ...noLines, ...ledger });
        expect(text === "" ? 0 : counter.count(text)).toBeLessThanOrEqual(ledgerTokens);
        expect(report.lostFacts.length).toBeLessThanOrEqual(report.lost);
        expect(Math.min(report.kept, report.repaired, report.lost)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 100 },
    );
  });

  test("a ledger says who said what, in whole sentences and lines, each once", () => {
    const messages = [
      call("1", "patch_file", { path: "src/orders/load.ts" }),
      result("1", "Success: patched src/orders/load.ts in one go, see ticket AUTH-4821 for the rest"),
      assistant("Unbelievably complicated bookkeeping ended with code KX-22 in the log, and that is why it failed."),
    ];
    const { ledger } = checkAndRepair("Something was done.", messages, { counter, ledgerTokens: 200 });
    expect(ledger.log).toEqual([
      "tool: Success: patched src/orders/load.ts in one go, see ticket AUTH-4821 for the rest",
      "assistant: Unbelievably complicated bookkeeping ended with code KX-22 in the log, and that is why it failed.",
    ]);
    const tight = checkAndRepair("Something was done.", messages, { counter, ledgerTokens: 16 }).ledger.log ?? [];
    expect(tight.length).toBeGreaterThan(0);
    expect(counter.count(renderLines({ ...noLines, log: tight }))).toBeLessThanOrEqual(16);
  });

  test("a number inside a longer one is not said", () => {
    const facts = [user("Gate 45 at 10:30")];
    expect(checkAndRepair("room 1450 at 10:30", facts, { counter, ledgerTokens: 0 }).report).toMatchObject({
      kept: 1,
      lost: 1,
    });
  });
});

describe("extractive summarizer", () => {
  const summarizer = createExtractiveSummarizer(counter);
  const ask = (messages: typeof talk, maxTokens: number, previous?: string) =>
    summarizer.summarize({ prompt: "", messages, maxTokens, ...(previous !== undefined && { previous }) });

  test("writes the sections of the general template, says what was required, decided and left open", async () => {
    const { text, finish } = await ask(talk, 300);
    expect(finish).toBe("complete");
    expect(text).toMatch(/^## Context\n- The user: /);
    expect(text).toContain('The user required: "I must never fly before 9:00."');
    expect(text).toMatch(/## Technical Details\n[\s\S]*search: /);
    expect(text).toMatch(/## Decisions and Outcomes\n- I booked HAT170/);
    expect(text).toMatch(/## Unresolved Questions\n- Do you want insurance\?/);
  });

  test("never over budget, deterministic, and bounded over many rounds", async () => {
    await fc.assert(
      fc.asyncProperty(anyMessages, fc.integer({ min: 0, max: 200 }), async (messages, maxTokens) => {
        const { text } = await ask(messages, maxTokens);
        expect(text === "" ? 0 : counter.count(text)).toBeLessThanOrEqual(maxTokens);
        expect((await ask(messages, maxTokens)).text).toBe(text);
      }),
      { numRuns: 80 },
    );
    let previous = (await ask(talk, 200)).text;
    for (let i = 0; i < 10; i++)
      previous = (await ask([user(`And note ${i}?`), assistant("Noted.")], 200, previous)).text;
    expect(counter.count(previous)).toBeLessThanOrEqual(200);
    expect(previous.match(/## Context/g)?.length ?? 0).toBeLessThanOrEqual(1);
    expect(previous).toContain("I must never fly before 9:00.");
  });
});
