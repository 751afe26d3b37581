import { describe, expect, it } from "vitest";
import type { RequestSummary } from "../api/types.gen.ts";
import { outcomeLabel, whenItPays, whyOutcome } from "./outcome-words.ts";

const request = (more: Partial<RequestSummary>, firstByte: number | null = null): RequestSummary => ({
  id: "req_1",
  at: 1,
  state: "failed",
  status: 400,
  errorCode: null,
  client: "c",
  keyName: null,
  protocol: "openai-chat",
  path: "/v1/chat/completions",
  upstream: "u",
  requestedModel: "m",
  model: "m",
  stream: false,
  conversationId: null,
  usage: null,
  costMicros: null,
  savedMicros: null,
  fold: {
    outcome: "off",
    id: null,
    rungs: [],
    by: "none",
    tokensBefore: 0,
    tokensAfter: 0,
    budget: 0,
    window: 8_000,
    messagesBefore: 0,
    messagesAfter: 0,
    exact: false,
    breakEvenCalls: null,
    cacheIsCold: null,
  },
  timing: { total: 1, fold: 0, upstreamFirstByte: firstByte, overhead: 1 },
  overflowRetried: false,
  compactionRequest: false,
  warnings: [],
  ...more,
});
const said = (summary: RequestSummary) => [outcomeLabel(summary.fold.outcome, summary.state), whyOutcome(summary)];

describe("what became of a request that was not folded", () => {
  it("is that it failed, where it failed before anything was decided", () => {
    expect(said(request({ errorCode: "VALIDATION_ERROR" }))).toEqual([
      "failed",
      "Not folded: the request failed before that (VALIDATION_ERROR).",
    ]);
  });

  it("is that folding is off, where the upstream refused what was sent as it came", () => {
    const refused = request({ errorCode: "UPSTREAM_REJECTED" }, 12);
    expect(said(refused)).toEqual([
      "failed",
      "Not folded: folding is off for this server, route or request. The upstream's answer was an error (UPSTREAM_REJECTED).",
    ]);
  });

  it("is that the client left, that it is being looked at, or that folding is off", () => {
    expect(said(request({ state: "cancelled" }))).toEqual(["cancelled", "Not folded: the client left before that."]);
    expect(said(request({ state: "running" }))).toEqual(["running", "Being looked at now."]);
    const done = request({ state: "done" }, 12);
    expect(said(done)).toEqual(["folding off", "Not folded: folding is off for this server, route or request."]);
  });

  it("is the fold's own word, whatever happened afterwards", () => {
    expect(outcomeLabel("fits", "failed")).toBe("fits");
    expect(outcomeLabel("impossible", "failed")).toBe("cannot fit");
  });

  it("is told with the failure that came after it", () => {
    const { fold } = request({});
    const fits = { ...fold, outcome: "fits" as const, tokensBefore: 900, budget: 6_000 };
    expect(whyOutcome(request({ fold: fits, errorCode: "INVALID_CONVERSATION" }))).toBe(
      "Not folded: 900 tokens fit, 6,000 of the 8k window may be input. The request failed (INVALID_CONVERSATION).",
    );
    expect(whyOutcome(request({ fold: fits, state: "done" }))).not.toContain("failed");
    expect(whyOutcome(request({ fold: { ...fits, outcome: "impossible" } }))).not.toContain("The request failed");
  });

  it("is that nothing could make it fit, without a budget of 0 where none was known", () => {
    const { fold } = request({});
    const huge = (budget: number) =>
      whyOutcome(request({ fold: { ...fold, outcome: "impossible", tokensBefore: 9_000, budget } }));
    expect(huge(0)).toContain("9,000 tokens came in, the window is 8k.");
    expect(huge(6_000)).toContain("only 6,000 of the 8k window may be input.");
  });
});

describe("what is said of a fold", () => {
  const folded = {
    ...request({}).fold,
    outcome: "folded",
    budget: 6_000,
    messagesBefore: 9,
    messagesAfter: 4,
  } as const;

  it.each([
    [13, false, "after 13 further calls: the provider's cache was warm"],
    [1, null, "after 1 further call, if the provider's cache was warm"],
    [0, null, "at once, if the provider's cache was warm"],
    [0, true, "at once: the provider's cache was cold"],
    [null, true, null],
  ])("is when %s calls pay for it, with a cache that was cold: %s", (breakEvenCalls, cacheIsCold, words) => {
    expect(whenItPays({ ...folded, breakEvenCalls, cacheIsCold })).toBe(words);
  });

  it("is why it came although everything fitted", () => {
    const why = (tokensBefore: number, cacheIsCold: boolean) =>
      whyOutcome(request({ state: "done", fold: { ...folded, tokensBefore, cacheIsCold } }));
    const early = "Folded before it had to be, as the provider's cache was cold: ";
    expect(why(5_900, true).startsWith(early)).toBe(true);
    expect(why(6_100, true).startsWith("Folded: ")).toBe(true);
    expect(why(5_900, false).startsWith("Folded: ")).toBe(true);
  });
});
