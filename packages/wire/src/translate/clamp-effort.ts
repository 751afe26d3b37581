import type { Effort, ReasoningRequest } from "../neutral/neutral-request.ts";

const scale: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The effort a request for reasoning comes down to: as named, or from the size of its budget. */
export function effortOf(reasoning: ReasoningRequest): Effort {
  if (reasoning.effort !== undefined) return reasoning.effort;
  const budget = reasoning.budgetTokens;
  if (budget === undefined) return "medium";
  if (budget <= 0) return "none";
  if (budget < 4_096) return "low";
  return budget < 16_384 ? "medium" : "high";
}

/** The nearest effort the upstream takes; the weaker one when two are equally near. Undefined: say nothing. */
export function clampEffort(effort: Effort, allowed: readonly Effort[]): Effort | undefined {
  if (allowed.includes(effort)) return effort;
  // Where "no thinking" cannot be expressed nothing is sent: the nearest effort would switch thinking on.
  if (effort === "none") return undefined;
  const want = scale.indexOf(effort);
  let best: Effort | undefined;
  for (const candidate of allowed) {
    if (candidate === "none") continue;
    if (best === undefined || Math.abs(scale.indexOf(candidate) - want) < Math.abs(scale.indexOf(best) - want)) {
      best = candidate;
    }
  }
  return best;
}

/** How many tokens of thought an effort is worth, for protocols that want a number. */
export function budgetOf(effort: Effort): number {
  const budgets: Record<Effort, number> = {
    none: 0,
    minimal: 1_024,
    low: 2_048,
    medium: 8_192,
    high: 16_384,
    xhigh: 24_576,
    max: 32_768,
  };
  return budgets[effort];
}
