import { describe, expect, test } from "vitest";
import { assistant, user } from "../digest/arbitrary-messages.test-data.ts";
import { frameMessage } from "../digest/frame.ts";
import { MidfoldError } from "../errors/midfold-error.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { describeAttempt, type RunSummaryOptions, runSummary, toDetails } from "./run-summary.ts";
import { type SummaryRequest, type SummaryResult, toSummarizer } from "./summarizer.ts";
import { afterChatFailure, closedBreaker } from "./summary-breaker.ts";

const counter = getCounter("gpt-4o");
const talk = [
  user(`Move the archive to /srv/backup before 2026-12-01. ${"The old disk is nearly full and slow. ".repeat(40)}`),
  assistant("I moved it: 214 files, ticket OPS-778."),
];

/** Answers in turn, the last one again and again; an answer may be an error. */
function run(
  answers: readonly (string | Partial<SummaryResult> | Error | object)[],
  more: Partial<RunSummaryOptions> = {},
) {
  const requests: SummaryRequest[] = [];
  const pauses: number[] = [];
  const outcome = runSummary({
    summarizer: {
      name: "scripted",
      summarize: async (request) => {
        requests.push(request);
        const answer = answers[Math.min(requests.length, answers.length) - 1]!;
        if (typeof answer === "string") return { text: answer, finish: "complete" };
        if (answer instanceof Error || "status" in answer) throw answer;
        return { text: "", finish: "complete", ...answer };
      },
    },
    messages: talk,
    counter,
    maxTokens: 400,
    now: () => 0,
    sleep: async (ms) => void pauses.push(ms),
    ...more,
  });
  return { requests, pauses, outcome };
}
const good = "The archive was moved to the backup disk.";
const inputs = async ({ outcome }: ReturnType<typeof run>) =>
  (await outcome).attempts.map(({ inputTokens }) => inputTokens);

describe("what a summarizer is asked", () => {
  test("three quarters of the room beside the summary before, the rest is for what it loses; instructions and model", async () => {
    const { requests, outcome } = run([{ text: good, usage: { inputTokens: 9, outputTokens: 3 } }], {
      prompt: { instructions: "dates", model: "small-1", previous: "They bought a disk." },
    });
    expect((await outcome).usage).toEqual({ inputTokens: 9, outputTokens: 3 });
    // Of 400 tokens the summary before has 5.
    expect(requests[0]).toMatchObject({
      maxTokens: 301,
      instructions: "dates",
      model: "small-1",
      previous: "They bought a disk.",
      messages: talk,
    });
    expect(requests[0]!.prompt).toContain("Use at most 301 tokens");
    const bare = run([good]);
    await bare.outcome;
    expect(Object.keys(bare.requests[0]!).sort()).toEqual(["maxTokens", "messages", "prompt"]);
    expect("usage" in (await bare.outcome)).toBe(false);
    expect("model" in (await bare.outcome)).toBe(false);
  });

  test("the tag it is told to look for is the one it looks for", async () => {
    const { outcome } = run([`noise <notes>${good}</notes>`], { prompt: { summaryTag: "notes" } });
    expect((await outcome).text).toBe(good);
  });

  test("two frames among the messages are one summary before them, each on its own line", async () => {
    const frames = ["They met.", "They ate."].map((text) => frameMessage({ kind: "summary", text, covers: 2 }));
    const { requests, outcome } = run([good], { messages: [...frames, ...talk] });
    await outcome;
    expect(requests[0]!.previous).toBe("They met.\nThey ate.");
    expect(requests[0]!.messages.filter(({ parts }) => parts.length > 0)).toEqual(talk);
  });
});

describe("a summary that does not come off", () => {
  test("no pause after the last failure, nor where the model answered something useless", async () => {
    const down = run([new Error("down")]);
    await down.outcome;
    expect(down.pauses).toEqual([500, 1000]);
    const empty = run([""]);
    await empty.outcome;
    expect(empty.pauses).toEqual([]);
    const once = run([new Error("down")], { policy: { attempts: 1 } });
    await once.outcome;
    expect(once.pauses).toEqual([]);
    const patient = run([new Error("down")], { policy: { attempts: 7, longestPauseMs: 3_000 } });
    await patient.outcome;
    expect(patient.pauses).toEqual([500, 1000, 2000, 3000, 3000, 3000]);
  });

  test("useless answers get less to read next time, errors the same", async () => {
    expect(await inputs(run(["", "", good], { prompt: { inputTokens: 10_000 } }))).toEqual([10_000, 7_000, 4_900]);
    expect(await inputs(run([new Error("down"), good], { prompt: { inputTokens: 10_000 } }))).toEqual([10_000, 10_000]);
  });

  test.each([
    [new MidfoldError("CONTEXT_OVERFLOW", "too long")],
    [new MidfoldError("UPSTREAM_OVERFLOW", "too long")],
    [new Error("This model's maximum context length is 8192 tokens")],
    [new Error("prompt is too long: 9000 tokens > 8192 maximum")],
    [new Error("the request exceeds the available context size")],
  ])("%s: half of what was asked is tried", async (error) => {
    const [first, second] = await inputs(run([error, good], { prompt: { inputTokens: 50_000 } }));
    expect(first).toBeLessThan(2_000);
    expect(second).toBe(Math.floor(first! / 2));
  });

  test.each([
    [401, 1],
    [404, 1],
    [400, 1],
    [499, 1],
    [408, 3],
    [409, 3],
    [425, 3],
    [429, 3],
    [500, 3],
    [503, 3],
    [399, 3],
  ])("status %i is tried %i times", async (status, times) => {
    const { requests, outcome } = run([{ status }]);
    await outcome;
    expect(requests).toHaveLength(times);
  });

  test("an error that may pass is tried again, one of ours that will not is not", async () => {
    const busy = run([new MidfoldError("SERVICE_UNAVAILABLE", "busy")]);
    await busy.outcome;
    const wrong = run([new MidfoldError("VALIDATION_ERROR", "no such model")]);
    await wrong.outcome;
    const odd = run([Object.assign(new Error("odd"), { status: "401" })]);
    await odd.outcome;
    expect([busy, wrong, odd].map(({ requests }) => requests.length)).toEqual([3, 1, 3]);
  });

  test("a summary no smaller than messages and summary before it is refused; a little smaller is taken", async () => {
    const short = [user("Tea at four, please, with milk and two lumps of sugar.")];
    const long =
      "They talked about tea, milk, sugar and the time of day, and came to an agreement in the end about it.";
    expect((await run([long], { messages: short }).outcome).kind).toBe("digest");
    const before = { previous: "They had agreed on coffee at three before, and on cake, and on who brings the cups." };
    expect((await run([long], { messages: short, prompt: before }).outcome).kind).toBe("summary");
    expect((await run([long], { messages: short, policy: { mustShrink: false } }).outcome).kind).toBe("summary");
  });

  test("the ledger has no more room than the summary leaves, nor than would make it longer than the messages", async () => {
    const made = await run([good]).outcome;
    expect(made.ledger.log?.join("\n")).toMatch(/OPS-778/);
    expect(made.carry).toMatch(/^The archive was moved to the backup disk\.\n[\s\S]*OPS-778/);
    expect(counter.count(made.carry)).toBeLessThanOrEqual(400);
    const tight = await run([good], { maxTokens: 24 }).outcome;
    expect(counter.count(tight.carry)).toBeLessThanOrEqual(24);
    const bare = await run(["Nothing happened."], {
      messages: [user("Hello there, how are you doing on this fine day?")],
    }).outcome;
    expect(bare.carry).toBe("Nothing happened.");
    expect(bare.ledger).toEqual({});
  });

  test("the digest that stands in carries the summary before it on, and reports what is lost", async () => {
    const made = await run([new Error("down")], { prompt: { previous: "The disk is called OLD-9 and stands in Ulm." } })
      .outcome;
    expect(made).toMatchObject({ kind: "digest", ledger: {}, carry: made.text });
    expect(made.text).toContain("OLD-9");
    expect(made.report.repaired).toBe(0);
    expect(made.report.kept).toBeGreaterThan(0);
  });
});

describe("what is said of a failure", () => {
  test("SUMMARY_FAILED names the last reason, how often, and when it may be tried again", async () => {
    const policy = { fallback: "throw", attempts: 2 } as const;
    await expect(run(["", new Error(" the key is wrong. ")], { policy }).outcome).rejects.toMatchObject({
      code: "SUMMARY_FAILED",
      message: "No usable summary: the key is wrong.",
      details: {
        attempts: [{ outcome: "empty" }, { outcome: "error", error: "the key is wrong" }],
        failures: 1,
        retryAt: 10_000,
      },
      cause: expect.objectContaining({ message: " the key is wrong. " }),
    });
    const breaker = { failures: 5, retryAt: 99 };
    await expect(run([good], { policy, breaker }).outcome).rejects.toMatchObject({
      message: "No usable summary: it failed too often and is paused.",
      details: { attempts: [], failures: 5, retryAt: 99 },
    });
  });

  test.each([
    ["no-text", "the summarizer returned no text; it must return a string or { text }"],
    ["empty", "the text was empty"],
    ["cut-off", "the text was cut off"],
    ["tool-call", "the model called a tool instead of writing"],
    ["refused", "the model refused"],
    ["not-smaller", "the text was not shorter than what it stands for"],
  ] as const)("%s in words", (outcome, words) => {
    expect(describeAttempt({ inputTokens: 1, outcome })).toBe(words);
    expect(toDetails({ inputTokens: 1, outcome })).toEqual({ outcome });
  });

  test("a long reason is cut, a short one is whole, and what is no error is said as it is", () => {
    const said = (error: unknown) => describeAttempt({ inputTokens: 1, outcome: "error", error });
    expect(said(new Error("x".repeat(300)))).toBe("x".repeat(300));
    expect(said(new Error("x".repeat(301)))).toBe(`${"x".repeat(300)}…`);
    expect(said("v1.2 is gone.")).toBe("v1.2 is gone");
  });

  test("a summary that was cancelled while it was written says so, with the reason", async () => {
    const abort = new AbortController();
    const reason = new Error("the user left");
    const { outcome, requests } = run([good], {
      signal: abort.signal,
      summarizer: {
        name: "slow",
        summarize: async () => {
          abort.abort(reason);
          throw new Error("socket closed");
        },
      },
    });
    await expect(outcome).rejects.toMatchObject({
      code: "ABORTED",
      message: "The summary was cancelled.",
      cause: expect.objectContaining({ message: "socket closed" }),
    });
    expect(requests).toEqual([]);
    await expect(run([good], { signal: AbortSignal.abort(reason) }).outcome).rejects.toMatchObject({ cause: reason });
  });

  test("pauses grow: seconds at first, minutes from the third failure on, an hour at most", () => {
    const pauses: number[] = [];
    let breaker = closedBreaker;
    for (let at = 0; at < 7; at++) {
      breaker = afterChatFailure(breaker, 1_000);
      pauses.push((breaker.retryAt - 1_000) / 1_000);
    }
    expect(pauses).toEqual([10, 20, 600, 1200, 2400, 3600, 3600]);
  });
});

test("a plain function is a summarizer: a text is complete, a result is taken as it is", async () => {
  const named = toSummarizer(async function retell() {
    return "Short.";
  });
  const request = { prompt: "", messages: [], maxTokens: 1 };
  expect(named.name).toBe("retell");
  expect(await named.summarize(request)).toEqual({ text: "Short.", finish: "complete" });
  const anonymous = toSummarizer((() => async () => ({ text: "I can't.", finish: "refused" as const }))());
  expect(anonymous.name).toBe("summarizer");
  expect(await anonymous.summarize(request)).toEqual({ text: "I can't.", finish: "refused" });
  expect(toSummarizer(named)).toBe(named);
});
