import type { DigestItem } from "./collect-items.ts";

/**
 * Chooses what a digest says within an estimated budget. Constraints come first (up to a third), then the opening
 * request, then story and exact details side by side, densest first; what one side leaves goes to the other.
 */
const constraintShare = 0.35;
const openingShare = 0.12;
/** Headings and list marks. */
const overhead = 24;

export function selectItems(items: readonly DigestItem[], budget: number): DigestItem[] {
  const chosen = new Map<number, DigestItem>();
  const room = Math.max(0, budget - overhead);
  const byDensity = items.map((_, index) => index).sort((a, b) => density(items[b]!) - density(items[a]!) || a - b);

  let left = room;
  const fill = (
    wanted: (item: DigestItem) => boolean,
    allowance: number,
    change?: (item: DigestItem) => DigestItem,
  ) => {
    let open = Math.min(allowance, left);
    for (const index of byDensity) {
      const item = items[index]!;
      if (item.cost > open || chosen.has(index) || !wanted(item)) continue;
      const short = item.text === item.short ? item : { ...item, text: item.short };
      chosen.set(index, change === undefined ? short : change(short));
      open -= item.cost;
      left -= item.cost;
      if (open < 3) break;
    }
  };

  fill((item) => item.binds, room * constraintShare, asConstraint);
  fill((item) => item.opening && !item.binds, room * openingShare);
  const ledger = ledgerShare(items) * left;
  fill((item) => item.section === "events", left - ledger);
  const said = [...chosen.values()].map((item) => item.text).join("\n");
  fill((item) => item.section === "ledger" && isNews(item, said), left);
  fill((item) => item.section === "events", left);
  return inOrder(chosen);
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
function ledgerShare(items: readonly DigestItem[]): number {
  let ledger = 0;
  let all = 0;
  for (const item of items) {
    all += item.cost;
    if (item.section === "ledger" && item.lead !== "user" && item.lead !== "assistant") ledger += item.cost;
  }
  return all === 0 ? 0 : 0.1 + 0.7 * (ledger / all);
}

function density(item: DigestItem): number {
  return item.value / (item.cost + 2);
}

function asConstraint(item: DigestItem): DigestItem {
  return { ...item, section: "constraints", lead: "" };
}

function inOrder(chosen: ReadonlyMap<number, DigestItem>): DigestItem[] {
  return [...chosen.entries()].sort(([a], [b]) => a - b).map(([, item]) => item);
}
