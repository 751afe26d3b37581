import type { MidfoldError } from "@midfold/core";
import type { Usage } from "@midfold/wire";
import type { BilledUsage } from "../requests/request-record.ts";

/** How an answer ended. Written while it is relayed, read once when the reply is over. */
export interface Ending {
  usage?: BilledUsage;
  error?: MidfoldError;
  status?: number;
  /** The status of an upstream's refusal that went to the client as it was. */
  refusedWith?: number;
}

/** Notes what the provider billed. Nonsense figures count as none. */
export function noteUsage(ending: Ending, usage: Usage | undefined): void {
  if (usage === undefined) return;
  const input = sane(usage.inputTokens);
  const output = sane(usage.outputTokens);
  if (input === 0 && output === 0) return;
  ending.usage = { input, output, cached: sane(usage.cacheReadTokens), cacheWrite: sane(usage.cacheWriteTokens) };
}

function sane(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 && tokens < 1e9 ? Math.round(tokens) : 0;
}
