import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Summary } from "../api/types.gen.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { plural } from "../ui/format.ts";
import { FoldIcon, RightIcon } from "../ui/icons.tsx";

/** Says above the list that a summary replaces the oldest messages, and shows its text on request. */
export function SummaryBar({ summary }: { readonly summary: Summary }) {
  const [open, setOpen] = useState(false);
  return (
    <section aria-label="Active summary" className="border-b border-line bg-fold text-sm">
      <div className="mx-auto max-w-3xl px-4 sm:px-6">
        <div className="flex items-center gap-2">
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="flex min-h-9 flex-1 items-center gap-2 text-left"
          >
            <span className={`text-ink-soft transition-transform ${open ? "rotate-90" : ""}`}>
              <RightIcon size={14} />
            </span>
            <span className="text-fold-ink">
              <FoldIcon size={16} />
            </span>
            Summary
            <span className="rounded-full bg-fold-line/25 px-2 py-px text-xs font-medium whitespace-nowrap">
              {plural(summary.messagesIncluded, "message")}
            </span>
          </button>
          <Link
            to="/s/$sessionId"
            params={{ sessionId: summary.sessionId }}
            hash="summary"
            aria-label="Show in the conversation"
            className="inline-flex min-h-9 items-center rounded-lg px-2 whitespace-nowrap text-accent underline underline-offset-2"
          >
            Show<span className="hidden sm:inline">&nbsp;in the conversation</span>
          </Link>
        </div>
        {open && (
          <div tabIndex={0} className="max-h-60 overflow-y-auto pb-3">
            <Markdown text={summary.text} />
          </div>
        )}
      </div>
    </section>
  );
}
