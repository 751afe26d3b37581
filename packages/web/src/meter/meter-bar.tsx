import type { Usage } from "../api/types.gen.ts";
import { categoryColours, usedCategories } from "./categories.ts";

interface MeterBarProps {
  readonly usage: Usage;
  /** Each category in its own colour, instead of the level's. */
  readonly byCategory?: boolean;
  readonly highlighted?: string | undefined;
}

/** The whole window: what is used, what is free, what is kept for the reply, and where folding begins. */
export function MeterBar({ usage, byCategory = false, highlighted }: MeterBarProps) {
  const { window: size, usable, threshold, level } = usage;
  if (size === null || usable === null) return null;
  const scale = Math.max(size, usage.total + (size - usable));
  const share = (tokens: number) => `${(tokens / scale) * 100}%`;
  const levelColour = level === "critical" ? "var(--alarm)" : level === "warning" ? "var(--warn)" : "var(--fine)";
  return (
    <span aria-hidden="true" className={`relative block ${byCategory ? "h-4" : "h-2.5"}`}>
      <span className="flex h-full w-full overflow-hidden rounded-full border border-line-strong bg-surface">
        {usedCategories(usage).map(({ category, tokens }) => (
          <span
            key={category}
            className="h-full border-r border-surface transition-[width] duration-500 last:border-r-0"
            style={{
              width: share(tokens),
              background: byCategory ? categoryColours[category] : levelColour,
              opacity: highlighted === undefined || highlighted === category ? 1 : 0.35,
            }}
          />
        ))}
        <span className="flex-1" />
        <span className="hatched h-full border-l border-line-strong" style={{ width: share(size - usable) }} />
      </span>
      {threshold !== null && (
        <span
          className="absolute -top-0.5 -bottom-0.5 w-0.5 bg-ink"
          style={{ left: share(Math.min(threshold.tokens, scale)) }}
        />
      )}
    </span>
  );
}
