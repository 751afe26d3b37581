import { quoteHistory } from "../digest/quote-history.ts";
import { takeFrames } from "../digest/take-frames.ts";
import type { Message } from "../message/message.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { collectItems, type DigestItem } from "./collect-items.ts";
import { type DigestLines, renderSections, type Section, sections } from "./digest-sections.ts";
import { everyItem, rankItems, selectItems } from "./select-items.ts";

export interface DigestOptions {
  readonly counter: TokenCounter;
  readonly maxTokens: number;
  /** An earlier digest or summary (framed or bare) that these messages follow; its items are taken up and merged. */
  readonly previous?: string;
  /** What is being asked now, where it is known: what bears on it is kept first. */
  readonly question?: string;
}

export interface Digest {
  /** Never over `maxTokens`; empty when there was nothing to say or no room to say it. */
  readonly text: string;
  readonly tokens: number;
  /** The items kept, in the order of the text, with the message each came from (undefined: from `previous`). */
  readonly items: readonly { readonly section: Section; readonly text: string; readonly message?: number }[];
  readonly lines: DigestLines;
}

/**
 * A stretch of conversation in few words, without a model: what the user bound, who said and ran what, and the exact
 * things (identifiers, paths, numbers) with the keys they stood under. Same input, same text.
 */
export function digest(messages: readonly Message[], options: DigestOptions): Digest {
  const { counter, maxTokens } = options;
  const { frames, rest } = takeFrames(messages, options.previous);
  const items = collectItems(rest, frames, options.question);
  if (items.length === 0 || maxTokens <= 0) return empty;
  const ranked = rankItems(items);
  // Estimates may be off, and details that are said twice fall away; beyond this it cannot all fit.
  if (ranked.cost < maxTokens * 3 + 60) {
    const whole = write(everyItem(items), counter);
    if (whole.tokens <= maxTokens) return whole;
  }
  let best: Digest = empty;
  let budget = maxTokens;
  // Selection works with estimates; the real count of what it made corrects the next try.
  for (let attempt = 0; attempt < 6; attempt++) {
    const made = write(selectItems(ranked, budget), counter);
    if (made.tokens <= maxTokens && made.tokens > best.tokens) best = made;
    if (best.tokens >= maxTokens * 0.95) break;
    budget = made.tokens === 0 ? budget * 1.6 : budget * clamp((maxTokens / made.tokens) * 0.985, 0.3, 3);
  }
  return best;
}

const empty: Digest = { text: "", tokens: 0, items: [], lines: { constraints: [], events: [], ledger: [] } };

function write(chosen: readonly DigestItem[], counter: TokenCounter): Digest {
  const lines: Record<Section, string[]> = { constraints: [], events: [], ledger: [] };
  const kept: { section: Section; text: string; message?: number }[] = [];
  for (const section of sections) {
    let previous: DigestItem | undefined;
    for (const item of chosen) {
      if (item.section !== section) continue;
      const last = lines[section].length - 1;
      if (previous !== undefined && sameLine(previous, item)) {
        lines[section][last] += continued(previous, item);
      } else lines[section].push(item.lead === "" ? item.text : `${item.lead}: ${item.text}`);
      kept.push({ section, text: item.text, ...(item.message >= 0 && { message: item.message }) });
      previous = item;
    }
  }
  const text = quoteHistory(renderSections(lines));
  return { text, tokens: text === "" ? 0 : counter.count(text), items: kept, lines };
}

/** Items of one message and speaker share a line; so do calls of one tool in a row. */
function sameLine(a: DigestItem, b: DigestItem): boolean {
  if (a.lead === "" || a.lead !== b.lead) return false;
  if (a.message === b.message) return true;
  // Details from one tool, and calls of one tool in a row, do not need its name again. Carried lines stay as they were.
  return a.message >= 0 && b.message >= 0 && (a.section === "ledger" || a.lead.startsWith("ran "));
}

function continued(a: DigestItem, b: DigestItem): string {
  const follows = b.order === a.order + 1 && a.message === b.message;
  if (follows && b.joined !== undefined) return b.joined;
  return follows && b.section !== "ledger" ? ` ${b.text}` : ` … ${b.text}`;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
