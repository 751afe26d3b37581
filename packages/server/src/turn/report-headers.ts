import type { Turn } from "./turn.ts";

/** Headers of an upstream's answer that mean something to the client. */
const forwarded =
  /^(?:retry-after(?:-ms)?|x-should-retry|anthropic-ratelimit-.+|x-ratelimit-.+|anthropic-organization-id|openai-.+)$/;

export function forwardedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name in headers) {
    if (isForwarded(name)) kept[name] = headers[name] as string;
  }
  return kept;
}

// The same few names come with every answer; each is judged once.
const judged = new Map<string, boolean>();
const maxJudged = 500;

function isForwarded(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const verdict = forwarded.test(name);
  if (judged.size < maxJudged) judged.set(name, verdict);
  return verdict;
}

/** What was done to the request, for whoever looks: R0's three headers when it was folded, and what decided it. */
export function reportTurn({ record }: Turn, headers: Record<string, string>): void {
  const overhead = Math.max(0, record.overheadMs).toFixed(2);
  headers["server-timing"] = `midfold;dur=${overhead}, fold;dur=${record.foldMs.toFixed(2)}`;
  headers["x-midfold-window"] = String(record.window);
  headers["x-midfold-budget"] = String(Math.max(0, record.budget));
  if (record.outcome === "folded" || record.outcome === "reused" || record.outcome === "clipped") {
    headers["x-context-compressed"] = "true";
    headers["x-original-tokens"] = String(record.tokensBefore);
    headers["x-compressed-tokens"] = String(record.tokensAfter);
    if (record.foldId !== undefined) headers["x-midfold-fold"] = record.foldId;
    headers["x-midfold-outcome"] = record.outcome;
    const rungs = record.plan?.rungs ?? [];
    if (rungs.length > 0) headers["x-midfold-rungs"] = rungs.join(",");
  }
}
