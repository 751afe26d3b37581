import { useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import type { Summary } from "../api/types.gen.ts";
import { formatTokens, plural, withoutMarks } from "../ui/format.ts";
import { FoldIcon, RightIcon } from "../ui/icons.tsx";
import { Spinner } from "../ui/spinner.tsx";

const SummaryBody = lazy(async () => ({ default: (await import("./summary-body.tsx")).SummaryBody }));

/** The summary at its place in the conversation: what the model sees instead of the messages above. */
export function SummaryCard({ summary }: { readonly summary: Summary }) {
  const linked = useRouterState({ select: (router) => router.location.hash === "summary" });
  const [open, setOpen] = useState(linked);
  // Decided once, so that a card that scrolls out and back in is not animated again.
  const [isNew] = useState(() => isFresh(summary));
  useEffect(() => {
    if (linked) setOpen(true);
  }, [linked]);
  return (
    <section
      id="summary"
      aria-label={`Summary of ${plural(summary.messagesIncluded, "message")}`}
      className={`my-3 rounded-xl border border-l-4 border-line border-l-fold-line bg-fold ${isNew ? "fold-in" : ""}`}
    >
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-2.5 rounded-xl px-4 py-3 text-left"
      >
        <span className="text-fold-ink">
          <FoldIcon />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-x-2 text-sm font-semibold">
            Summary
            <span className="rounded-full bg-fold-line/25 px-2 py-px text-xs font-medium">
              {plural(summary.messagesIncluded, "message")} summarized
            </span>
            <span className="text-xs font-normal text-ink-soft">
              {formatTokens(summary.originalTokens)} → {formatTokens(summary.summaryTokens)} tokens
            </span>
          </span>
          {!open && <span className="block truncate text-sm text-ink-soft">{withoutMarks(summary.preview)}</span>}
        </span>
        <span className={`text-ink-soft transition-transform ${open ? "rotate-90" : ""}`}>
          <RightIcon size={16} />
        </span>
      </button>
      {open && (
        <div className="border-t border-line px-4 pt-1 pb-3">
          <Suspense fallback={<Spinner />}>
            <SummaryBody summary={summary} />
          </Suspense>
        </div>
      )}
    </section>
  );
}

const freshMs = 4_000;
const moved = new Set<string>();

/** Whether it was just written and has not been animated yet. */
function isFresh({ id, createdAt }: Summary): boolean {
  if (moved.has(id) || Date.now() - Date.parse(createdAt) > freshMs) return false;
  moved.add(id);
  return true;
}
