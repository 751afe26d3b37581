import { useMemo } from "react";
import type { Summary } from "../api/types.gen.ts";
import { FoldMarkerRow } from "../fold/fold-marker-row.tsx";
import { SummaryCard } from "../fold/summary-card.tsx";
import type { Conversation } from "./conversation.ts";
import type { ConversationState } from "./conversation-state.ts";
import { type MessageActions, MessageRow } from "./message-row.tsx";
import { ReplyVersions, useVersions } from "./reply-versions.tsx";
import { RowList, type Target } from "./row-list.tsx";
import { toRows } from "./rows.ts";

interface MessageListProps extends MessageActions {
  readonly state: ConversationState;
  readonly conversation: Conversation;
  readonly summary: Summary | undefined;
  readonly target: Target | undefined;
  readonly sent: number;
}

export function MessageList({ state, conversation, summary, target, sent, onRetry, ...actions }: MessageListProps) {
  const rows = useMemo(
    () => toRows(state.messages, summary, state.marker, state.after === null),
    [state.messages, summary, state.marker, state.after],
  );
  const lastId = state.messages.at(-1)?.id;
  const versions = useVersions(conversation.sessionId, lastId, state.phase === "ready" && !state.replying);
  return (
    <RowList label="Messages" rows={rows} state={state} conversation={conversation} target={target} sent={sent} follow>
      {(row) => {
        if (row.kind === "summary") return <SummaryCard summary={row.summary} />;
        if (row.kind === "marker") return <FoldMarkerRow marker={row.marker} conversation={conversation} />;
        return (
          <MessageRow
            message={row.message}
            folded={row.folded}
            marked={target?.messageId === row.key}
            live={state.live?.messageId === row.key ? state.live : undefined}
            beside={
              versions.has(row.key) && !state.replying ? (
                <ReplyVersions reply={row.message} versions={versions.get(row.key) ?? []} conversation={conversation} />
              ) : undefined
            }
            onRetry={row.key === lastId && !state.replying ? onRetry : undefined}
            {...actions}
          />
        );
      }}
    </RowList>
  );
}
