import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Message, Summary } from "../api/types.gen.ts";
import type { Conversation } from "../chat/conversation.ts";
import type { ConversationState } from "../chat/conversation-state.ts";
import { MessageRow } from "../chat/message-row.tsx";
import { RowList, type Target } from "../chat/row-list.tsx";
import { toRows } from "../chat/rows.ts";
import { bringBack } from "../chat/take-out.ts";
import { Button } from "../ui/button.tsx";
import { formatTime, plural } from "../ui/format.ts";
import { FoldIcon, LinkIcon, UndoIcon } from "../ui/icons.tsx";
import { PlaceBadge } from "./place-badge.tsx";

interface HistoryListProps {
  readonly state: ConversationState;
  readonly conversation: Conversation;
  readonly summary: Summary | undefined;
  readonly target: Target | undefined;
}

export function HistoryList({ state, conversation, summary, target }: HistoryListProps) {
  const rows = useMemo(
    () => toRows(state.messages, summary, undefined, state.after === null),
    [state.messages, summary, state.after],
  );
  return (
    <RowList label="Full history" rows={rows} state={state} conversation={conversation} target={target}>
      {(row) => {
        if (row.kind === "message") {
          return (
            <HistoryEntry
              message={row.message}
              folded={row.folded}
              marked={target?.messageId === row.key}
              onBringBack={({ sessionId, id }) => void bringBack(conversation, sessionId, id)}
            />
          );
        }
        if (row.kind === "marker") return null;
        return (
          <p className="my-3 flex items-center gap-2 rounded-xl border border-l-4 border-line border-l-fold-line bg-fold px-4 py-2.5 text-sm">
            <FoldIcon /> Up to here, {plural(row.summary.messagesIncluded, "message")} are not in the model’s view. From
            here on it reads word for word.
          </p>
        );
      }}
    </RowList>
  );
}

interface HistoryEntryProps {
  readonly message: Message;
  readonly folded: boolean;
  readonly marked: boolean;
  readonly onBringBack: (message: Message) => void;
}

function HistoryEntry({ message, folded, marked, onBringBack }: HistoryEntryProps) {
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
        {hidden && (
          <>
            <PlaceBadge place="hidden" />
            <Button
              kind="quiet"
              className="min-h-7 px-1.5 py-0 text-xs text-accent"
              onClick={() => onBringBack(message)}
            >
              <UndoIcon size={13} /> Bring back
            </Button>
          </>
        )}
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
