import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Summary } from "../api/types.gen.ts";
import { FoldMarkerRow } from "../fold/fold-marker-row.tsx";
import { SummaryCard } from "../fold/summary-card.tsx";
import { Button } from "../ui/button.tsx";
import { DownIcon } from "../ui/icons.tsx";
import { Spinner } from "../ui/spinner.tsx";
import type { Conversation } from "./conversation.ts";
import type { ConversationState } from "./conversation-state.ts";
import { type MessageActions, MessageRow } from "./message-row.tsx";
import { openAtEnd } from "./open-at-end.ts";
import { toRows } from "./rows.ts";

interface MessageListProps extends MessageActions {
  readonly state: ConversationState;
  readonly conversation: Conversation;
  readonly summary: Summary | undefined;
  /** A message to bring into view, again with each new `at`. */
  readonly target: { readonly messageId: string; readonly at: number } | undefined;
}

const nearEnd = 120;
const nearTop = 2500;

export function MessageList({ state, conversation, summary, target, onRetry, onEdit }: MessageListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(
    () => toRows(state.messages, summary, state.marker, state.after === null),
    [state.messages, summary, state.marker, state.after],
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => estimate(rows[index]),
    overscan: 6,
    paddingStart: 16,
    paddingEnd: 24,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: nearEnd,
  });
  const [away, setAway] = useState(false);
  const { sessionId } = conversation;

  // A conversation opens at its end.
  const opened = useRef("");
  const settled = useRef(false);
  const stopOpening = useRef(() => {});
  useLayoutEffect(() => {
    if (opened.current === sessionId || rows.length === 0) return;
    opened.current = sessionId;
    settled.current = false;
    if (target !== undefined || scroller.current === null) return;
    stopOpening.current = openAtEnd(scroller.current, () => {
      settled.current = true;
    });
  }, [sessionId, rows.length, target]);

  // Its row may come later than the wish to see it: the summary is read apart from the messages.
  const targetIndex = target === undefined ? -1 : rows.findIndex(({ key }) => key === target.messageId);
  const targetKnown = targetIndex >= 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per target; its index changes while a reply is written.
  useEffect(() => {
    if (!targetKnown) return;
    stopOpening.current();
    virtual.scrollToIndex(targetIndex, { align: "center" });
  }, [target, targetKnown, virtual]);

  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    const fromEnd = element.scrollHeight - element.scrollTop - element.clientHeight;
    // On the way to where it opens the list passes its top; that is no wish for older messages.
    settled.current ||= target !== undefined;
    setAway(fromEnd > nearEnd * 2);
    if (element.scrollTop < nearTop && state.before !== null && settled.current) void conversation.loadOlder();
    if (fromEnd < nearTop && state.after !== null) void conversation.loadNewer();
  };
  const lastId = state.messages.at(-1)?.id;

  return (
    <div className="relative min-h-0 flex-1">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section ref={scroller} tabIndex={0} aria-label="Messages" onScroll={onScroll} className="h-full overflow-y-auto">
        {state.loadingMore && state.messages.length > 0 && (
          <div className="pointer-events-none absolute inset-x-0 top-2 z-10 flex justify-center">
            <span className="rounded-full bg-raised px-3 py-1 shadow-float">
              <Spinner label="Loading messages" />
            </span>
          </div>
        )}
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
                    <MessageRow
                      message={row.message}
                      folded={row.folded}
                      marked={target?.messageId === row.key}
                      live={state.live?.messageId === row.key ? state.live : undefined}
                      onEdit={onEdit}
                      onRetry={row.key === lastId && !state.replying ? onRetry : undefined}
                    />
                  )}
                  {row.kind === "summary" && <SummaryCard summary={row.summary} />}
                  {row.kind === "marker" && <FoldMarkerRow marker={row.marker} conversation={conversation} />}
                </div>
              </div>
            );
          })}
        </div>
      </section>
      {(away || state.after !== null) && (
        <Button
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full bg-raised shadow-float"
          onClick={() => {
            if (state.after !== null) {
              opened.current = "";
              void conversation.reload();
            } else if (scroller.current !== null) openAtEnd(scroller.current, () => {});
          }}
        >
          <DownIcon size={16} /> Newest
        </Button>
      )}
    </div>
  );
}

function estimate(row: ReturnType<typeof toRows>[number] | undefined): number {
  if (row === undefined || row.kind !== "message") return 90;
  return 70 + Math.min(1200, Math.ceil(row.message.text.length / 90) * 24);
}
