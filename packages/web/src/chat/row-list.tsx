import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Conversation } from "../conversation/conversation.ts";
import type { ConversationState } from "../conversation/conversation-state.ts";
import { Button } from "../ui/button.tsx";
import { DownIcon } from "../ui/icons.tsx";
import { Spinner } from "../ui/spinner.tsx";
import type { Row } from "./rows.ts";

/** A message to scroll to, again with each new `at`. */
export interface Target {
  readonly messageId: string;
  readonly at: number;
}

interface RowListProps {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly state: ConversationState;
  readonly conversation: Conversation;
  readonly target: Target | undefined;
  /** Stays at the end while rows are added there. */
  readonly follow?: boolean;
  /** Scrolls to the end with every new value: a message was sent. */
  readonly sent?: number;
  readonly children: (row: Row) => ReactNode;
}

const nearEnd = 120;
/** Pixels before the edge at which the next page is loaded. */
const nearPageEdge = 2500;

/** The rows of a conversation; only those in sight are in the DOM. Opens at the end, or at its target. */
export function RowList({
  label,
  rows,
  state,
  conversation,
  target,
  follow = false,
  sent = 0,
  children,
}: RowListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => estimate(rows[index]),
    // Starts at the end, so that the rows at the top are not rendered in vain.
    initialOffset: () => (target === undefined ? rows.reduce((sum, row) => sum + estimate(row), 0) : 0),
    overscan: 6,
    paddingStart: 16,
    paddingEnd: 24,
    anchorTo: "end",
    followOnAppend: follow,
    scrollEndThreshold: nearEnd,
  });
  const [away, setAway] = useState(false);

  const opened = useRef(false);
  const settled = useRef(false);
  const stopOpening = useRef(() => {});
  useLayoutEffect(() => {
    if (opened.current || rows.length === 0) return;
    opened.current = true;
    settled.current = false;
    if (target !== undefined || scroller.current === null) return;
    stopOpening.current = openAtEnd(scroller.current, () => {
      settled.current = true;
    });
  }, [rows.length, target]);

  // The target's row may appear later, since the summary is read separately from the messages.
  const targetIndex = target === undefined ? -1 : rows.findIndex(({ key }) => key === target.messageId);
  const targetKnown = targetIndex >= 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per target; its index changes while a reply is written.
  useEffect(() => {
    if (!targetKnown) return;
    stopOpening.current();
    virtual.scrollToIndex(targetIndex, { align: "center" });
  }, [target, targetKnown, virtual]);

  useLayoutEffect(() => {
    if (sent === 0 || scroller.current === null) return;
    return openAtEnd(scroller.current, () => {});
  }, [sent]);

  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    const fromEnd = element.scrollHeight - element.scrollTop - element.clientHeight;
    // While it opens, the list passes its top, which must not load older messages.
    settled.current ||= target !== undefined;
    setAway(fromEnd > nearEnd * 2);
    if (element.scrollTop < nearPageEdge && state.before !== null && settled.current) void conversation.loadOlder();
    if (fromEnd < nearPageEdge && state.after !== null) void conversation.loadNewer();
  };
  const toNewest = async () => {
    if (state.after !== null) await conversation.reload();
    if (scroller.current !== null) openAtEnd(scroller.current, () => {});
  };

  const toFirst = async () => {
    stopOpening.current();
    await conversation.showFirst();
    if (scroller.current !== null) holdAtStart(scroller.current);
  };

  return (
    <div className="relative min-h-0 flex-1">
      <section ref={scroller} tabIndex={0} aria-label={label} onScroll={onScroll} className="h-full overflow-y-auto">
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
                <div className="mx-auto w-full max-w-3xl px-4 sm:px-6">{children(row)}</div>
              </div>
            );
          })}
        </div>
      </section>
      {(away || state.after !== null) && (
        <div className="absolute bottom-3 left-1/2 flex -translate-x-1/2 gap-2">
          <Button className="rounded-full! bg-raised shadow-float" onClick={() => void toFirst()}>
            <span className="rotate-180">
              <DownIcon size={16} />
            </span>
            First
          </Button>
          <Button className="rounded-full! bg-raised shadow-float" onClick={() => void toNewest()}>
            <DownIcon size={16} /> Newest
          </Button>
        </div>
      )}
    </div>
  );
}

/** Row heights are first estimated and then measured, which moves the rows: the list is kept at its start meanwhile. */
function holdAtStart(element: HTMLElement, frames = 12): void {
  element.scrollTop = 0;
  if (frames > 0) requestAnimationFrame(() => holdAtStart(element, frames - 1));
}

function estimate(row: Row | undefined): number {
  if (row === undefined || row.kind !== "message") return 90;
  return 70 + Math.min(1200, Math.ceil(row.message.text.length / 90) * 24);
}

/** Scrolls a list to its end and keeps it there while its rows are measured. Returns a function that stops this. */
function openAtEnd(element: HTMLElement, onSettled: () => void): () => void {
  let frame = 0;
  let height = -1;
  let calm = 0;
  const step = () => {
    element.scrollTop = element.scrollHeight;
    calm = element.scrollHeight === height ? calm + 1 : 0;
    height = element.scrollHeight;
    if (calm < 3) frame = requestAnimationFrame(step);
    else onSettled();
  };
  step();
  return () => cancelAnimationFrame(frame);
}
