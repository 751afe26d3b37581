import type { MidfoldError, Part } from "@midfold/core";
import type { StreamEvent, Usage } from "@midfold/wire";
import type { BilledUsage } from "../requests/request-record.ts";

/** How an answer ended. Written while it is relayed, read once when the reply is over. */
export interface Ending {
  usage?: BilledUsage;
  error?: MidfoldError;
  status?: number;
  /** The answer's words; gathered only while capture is on. */
  said?: string;
  /** The status of an upstream's refusal that went to the client as it was. */
  refusedWith?: number;
}

/** Records what the provider billed. Impossible figures are ignored. */
export function noteUsage(ending: Ending, usage: Usage | undefined): void {
  if (usage === undefined) return;
  const input = sane(usage.inputTokens);
  const output = sane(usage.outputTokens);
  if (input === 0 && output === 0) return;
  ending.usage = { input, output, cached: sane(usage.cacheReadTokens), cacheWrite: sane(usage.cacheWriteTokens) };
}

/** Longer answers are kept up to here. */
const mostSaid = 65_536;

/** Adds to the words of the answer, where they are gathered. */
export function noteWords(ending: Ending, words: string): void {
  if (ending.said === undefined || words === "" || ending.said.length > mostSaid) return;
  const all = ending.said + words;
  ending.said =
    all.length > mostSaid
      ? `${all.slice(0, mostSaid)}\n[cut here: only the first ${mostSaid} characters are kept]`
      : all;
}

export function noteEventWords(ending: Ending, event: StreamEvent): void {
  if (ending.said === undefined) return;
  if (event.type === "text-delta" || event.type === "tool-call-delta") noteWords(ending, event.text);
  else if (event.type === "tool-call-start") noteWords(ending, `\n→ ${event.name} `);
}

export function notePartWords(ending: Ending, parts: readonly Part[]): void {
  for (const part of parts) {
    if (part.type === "text") noteWords(ending, part.text);
    else if (part.type === "tool-call") noteWords(ending, `\n→ ${part.name} ${part.input}`);
  }
}

function sane(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 && tokens < 1e9 ? Math.round(tokens) : 0;
}
