import type { DigestItem } from "./collect-items.ts";

/**
 * Chooses what a digest says within an estimated budget. Constraints come first (up to a third), then the opening
 * request, then story and exact details side by side, densest first; what one side leaves goes to the other.
 */
const constraintShare = 0.35;
const openingShare = 0.06;
/** In budgets where a third is not even a sentence, constraints may take this much. */
const fewTokens = 40;
/** After so many items that were too long for what is left, the rest is not looked at. */
const mostMisses = 200;
/** Headings and list marks. */
const overhead = 24;

/** Items with what every selection from them needs, whatever the budget. */
export interface RankedItems {
  readonly items: readonly DigestItem[];
  /** Indices of what was said and done, densest first. */
  readonly story: readonly number[];
  /** Indices of exact details, densest first. */
  readonly details: readonly number[];
  readonly ledgerShare: number;
  readonly cost: number;
}

export function rankItems(items: readonly DigestItem[]): RankedItems {
  const densities = Float64Array.from(items, density);
  const ranked = (wanted: (item: DigestItem) => boolean) =>
    [...items.keys()].filter((index) => wanted(items[index]!)).sort((a, b) => densities[b]! - densities[a]! || a - b);
  return {
    items,
    story: ranked((item) => item.section !== "ledger"),
    details: ranked((item) => item.section === "ledger"),
    ledgerShare: ledgerShareOf(items),
    cost: items.reduce((sum, item) => sum + item.cost, overhead),
  };
}

export function selectItems(ranked: RankedItems, budget: number): DigestItem[] {
  const { items, story, details } = ranked;
  const chosen = new Map<number, DigestItem>();
  const room = Math.max(0, budget - overhead);
  let left = room;
  const fill = (from: readonly number[], allowance: number, rule: FillRule = {}) => {
    let open = Math.min(allowance, left);
    let misses = 0;
    for (const index of from) {
      if (open < 3 || misses >= mostMisses) break;
      const item = items[index]!;
      if (chosen.has(index) || rule.wanted?.(item) === false) continue;
      if (item.cost > open) {
        misses++;
        continue;
      }
      const short = item.text === item.short ? item : { ...item, text: item.short };
      chosen.set(index, rule.change === undefined ? short : rule.change(short));
      open -= item.cost;
      left -= item.cost;
    }
  };

  const binding = Math.max(room * constraintShare, Math.min(room * 0.7, fewTokens));
  fill(story, binding, { wanted: (item) => item.binds, change: asConstraint });
  fill(story, room * openingShare, { wanted: (item) => item.opening && !item.binds });
  fill(story, left - ranked.ledgerShare * left);
  const said = [...chosen.values()].map((item) => item.text).join("\n");
  fill(details, left, { wanted: (item) => isNews(item, said) });
  fill(story, left);
  return [...chosen.entries()].sort(([a], [b]) => a - b).map(([, item]) => item);
}

interface FillRule {
  readonly wanted?: (item: DigestItem) => boolean;
  readonly change?: (item: DigestItem) => DigestItem;
}

/** All there is to say, in full words; details that the story tells already are not told twice. */
export function everyItem(items: readonly DigestItem[]): DigestItem[] {
  const said = items
    .filter((item) => item.section !== "ledger" || item.message < 0)
    .map((item) => item.text)
    .join("\n");
  return items
    .filter((item) => item.section !== "ledger" || isNews(item, said))
    .map((item) => (item.binds ? asConstraint(item) : item));
}

function isNews(item: DigestItem, said: string): boolean {
  return item.facts.length === 0 || item.facts.some((fact) => !said.includes(fact));
}

/** The more of a conversation is tool traffic, the more of what must be kept are exact values. */
function ledgerShareOf(items: readonly DigestItem[]): number {
  let ledger = 0;
  let all = 0;
  for (const item of items) {
    all += item.cost;
    if (item.section === "ledger" && item.lead !== "user" && item.lead !== "assistant") ledger += item.cost;
  }
  return all === 0 ? 0 : Math.min(0.8, 0.12 + 2 * (ledger / all));
}

/**
 * Worth per token. The constants under it keep very short items from winning by shortness alone; the exponents let a
 * long item win that says much. Measured on real conversations: `npm run bench -w packages/core -- quality`.
 */
function density(item: DigestItem): number {
  return item.section === "ledger" ? item.value / (item.cost + 2) ** 0.6 : item.value / (item.cost + 4) ** 0.9;
}

function asConstraint(item: DigestItem): DigestItem {
  return { ...item, section: "constraints", lead: "" };
}
