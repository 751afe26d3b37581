import type { RequestRecord } from "../requests/request-record.ts";

/** Headers of an upstream's answer that are sent to the client. */
const forwarded =
  /^(?:retry-after(?:-ms)?|x-should-retry|anthropic-ratelimit-.+|x-ratelimit-.+|anthropic-organization-id|openai-.+)$/;

export function forwardedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name in headers) {
    if (isForwarded(name)) kept[name] = headers[name] as string;
  }
  return kept;
}

// The same few names come with every answer, so each is checked once.
const judged = new Map<string, boolean>();
const maxJudged = 500;

function isForwarded(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const verdict = forwarded.test(name);
  if (judged.size < maxJudged) judged.set(name, verdict);
  return verdict;
}

/** What was done to the request: the three documented headers when it was folded, and what decided it. */
export function reportFold(facts: Partial<RequestRecord>): Record<string, string> {
  const { overheadMs = 0, foldMs = 0, window = 0, budget = 0, outcome } = facts;
  const headers: Record<string, string> = {
    "server-timing": `midfold;dur=${Math.max(0, overheadMs).toFixed(2)}, fold;dur=${foldMs.toFixed(2)}`,
    "x-midfold-window": String(window),
  };
  // A request that is forwarded as it came has none.
  if (budget > 0) headers["x-midfold-budget"] = String(budget);
  const lowered = facts.warnings?.find(({ code }) => code === "output-limit-lowered");
  if (lowered !== undefined) headers["x-midfold-output-limit"] = String(lowered.details?.sent);
  const retried = facts.warnings?.find(({ code }) => code === "refused-without-words");
  if (retried !== undefined) headers["x-midfold-retried"] = retried.code;
  if (outcome !== "folded" && outcome !== "reused" && outcome !== "clipped") return headers;
  headers["x-context-compressed"] = "true";
  headers["x-original-tokens"] = String(facts.tokensBefore);
  headers["x-compressed-tokens"] = String(facts.tokensAfter);
  if (facts.foldId !== undefined) headers["x-midfold-fold"] = facts.foldId;
  headers["x-midfold-outcome"] = outcome;
  const clipped = facts.warnings?.find(({ code }) => code === "last-message-clipped")?.details;
  if (clipped !== undefined) {
    headers["x-midfold-clipped"] = `last-message; tokens=${clipped.tokens}; sent=${clipped.sent}`;
  }
  const paysOff = facts.plan?.tokens.breakEvenCalls;
  if (paysOff !== undefined) headers["x-midfold-break-even"] = `calls=${paysOff}`;
  const rungs = facts.plan?.rungs ?? [];
  if (rungs.length > 0) headers["x-midfold-rungs"] = rungs.join(",");
  return headers;
}
