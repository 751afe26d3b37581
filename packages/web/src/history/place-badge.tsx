import type { SearchHit } from "../api/types.gen.ts";

const places: Readonly<Record<SearchHit["place"], { readonly words: string; readonly look: string }>> = {
  "in-context": { words: "in the model’s view", look: "bg-accent-soft text-ink" },
  "in-summary": { words: "folded, in the summary", look: "bg-fold text-fold-ink border border-fold-line" },
  folded: { words: "folded, only here", look: "bg-fold text-fold-ink border border-dashed border-fold-line" },
  hidden: { words: "replaced or taken out", look: "bg-sunken text-ink-soft border border-line" },
};

/** Whether the model sees a message: as it is, in a summary, or not at all. */
export function PlaceBadge({ place }: { readonly place: SearchHit["place"] }) {
  const { words, look } = places[place];
  return <span className={`rounded-full px-2 py-px text-xs whitespace-nowrap ${look}`}>{words}</span>;
}
