import type { ReactNode } from "react";

export type BadgeTone = "plain" | "good" | "fold" | "warn" | "alarm";

const classes: Readonly<Record<BadgeTone, string>> = {
  plain: "border-line bg-sunken text-ink-soft",
  good: "border-accent bg-accent-soft text-ink",
  fold: "border-fold-line bg-fold text-fold-ink",
  warn: "border-warn bg-warn-soft text-ink",
  alarm: "border-alarm-ink bg-alarm-soft text-alarm-ink",
};

export function Badge({ tone = "plain", children }: { readonly tone?: BadgeTone; readonly children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-full border px-2 py-px text-xs font-medium whitespace-nowrap ${classes[tone]}`}
    >
      {children}
    </span>
  );
}
