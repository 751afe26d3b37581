import type { Effort } from "../neutral/neutral-request.ts";

const efforts: ReadonlySet<unknown> = new Set<Effort>(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);

/** An effort by name; words no protocol knows count as the middle. */
export function readEffort(value: unknown): Effort | undefined {
  if (typeof value !== "string") return undefined;
  return efforts.has(value) ? (value as Effort) : "medium";
}
