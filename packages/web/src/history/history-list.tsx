import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useMemo, useRef } from "react";
import type { Message, Summary } from "../api/types.gen.ts";
import type { Conversation } from "../chat/conversation.ts";
import type { ConversationState } from "../chat/conversation-state.ts";
import { MessageRow } from "../chat/message-row.tsx";
import { openAtEnd } from "../chat/open-at-end.ts";
import { toRows } from "../chat/rows.ts";
import { formatTime, plural } from "../ui/format.ts";
import { FoldIcon, LinkIcon } from "../ui/icons.tsx";
import { PlaceBadge } from "./place-badge.tsx";

interface HistoryListProps {
  readonly state: ConversationState;
  readonly conversation: Conversation;
  readonly summary: Summary | undefined;
  readonly target: { readonly messageId: string; readonly at: number } | undefined;
}

const near = 2500;

export function HistoryList({ state, conversation, summary, target }: HistoryListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(
    () => toRows(state.messages, summary, undefined, state.after === null),
    [state.messages, summary, state.after],
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: () => 140,
    overscan: 6,
    paddingStart: 16,
    paddingEnd: 40,
    anchorTo: "end",
  });
  const opened = useRef(false);
  const settled = useRef(false);
  useLayoutEffect(() => {
    if (opened.current || rows.length === 0) return;
    opened.current = true;
    if (target !== undefined || scroller.current === null) return;
    openAtEnd(scroller.current, () => {
      settled.current = true;
    });
  }, [rows.length, target]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per target; older pages come in later.
  useEffect(() => {
    if (target === undefined) return;
    const index = rows.findIndex(({ key }) => key === target.messageId);
    if (index >= 0) virtual.scrollToIndex(index, { align: "center" });
  }, [target, virtual]);
  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    const fromEnd = element.scrollHeight - element.scrollTop - element.clientHeight;
    // On the way to where it opens the list passes its top; that is no wish for older messages.
    settled.current ||= target !== undefined;
    if (element.scrollTop < near && state.before !== null && settled.current) void conversation.loadOlder();
    if (fromEnd < near && state.after !== null) void conversation.loadNewer();
  };
  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      aria-label="Full history"
      onScroll={onScroll}
      className="min-h-0 flex-1 overflow-y-auto"
    >
      <div className="relative w-full" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <div
              key={item.key}
              data-index={item.index}
              ref={virtual.measureElement}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <div className="mx-auto w-full max-w-3xl px-4 sm:px-6">
                {row.kind === "message" && (
                  <HistoryEntry
                    message={row.message}
                    folded={row.folded}
                    marked={target?.messageId === row.message.id}
                  />
                )}
                {row.kind === "summary" && (
                  <p className="my-3 flex items-center gap-2 rounded-xl border border-l-4 border-line border-l-fold-line bg-fold px-4 py-2.5 text-sm">
                    <FoldIcon /> Up to here, {plural(row.summary.messagesIncluded, "message")} are not in the model’s
                    view. From here on it reads word for word.
                  </p>
                )}
              </div>
            </div>
          );
        })}
      </div>
    </section>
  );
}

interface HistoryEntryProps {
  readonly message: Message;
  readonly folded: boolean;
  readonly marked: boolean;
}

function HistoryEntry({ message, folded, marked }: HistoryEntryProps) {
  const hidden = message.visibility === "hidden";
  return (
    <div>
      <p className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
        <Link
          to="/s/$sessionId/history"
          params={{ sessionId: message.sessionId }}
          hash={`m-${message.id}`}
          aria-label={`Link to message ${message.sequence}`}
          className="inline-flex items-center gap-1 rounded py-1 hover:text-ink"
        >
          <LinkIcon size={13} /> #{message.sequence}
        </Link>
        {formatTime(message.createdAt)}
        {hidden && <PlaceBadge place="hidden" />}
        {folded && !hidden && (
          <span className="rounded-full border border-dashed border-fold-line bg-fold px-2 py-px text-fold-ink">
            not in the model’s view
          </span>
        )}
      </p>
      <MessageRow message={message} folded={folded} marked={marked} />
    </div>
  );
}
