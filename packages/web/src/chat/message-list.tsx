import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import type { Message, Summary } from "../api/types.gen.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { ConversationState } from "../conversation/conversation-state.ts";
import { FoldMarkerRow } from "../fold/fold-marker-row.tsx";
import { SummaryCard } from "../fold/summary-card.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { LeftIcon, RightIcon } from "../ui/icons.tsx";
import { toast } from "../ui/toast.tsx";
import { type MessageActions, MessageRow } from "./message-row.tsx";
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

const versionsKey = (sessionId: string) => ["session", sessionId, "versions"] as const;
/** How many messages back other answers are looked for. */
const most = 200;

/** All answers to a question, by the id of the reply that is in use; only for questions with several answers. */
type Versions = ReadonlyMap<string, readonly Message[]>;

const none: Versions = new Map();

/** Read again with each new last message. */
function useVersions(sessionId: string, lastId: string | undefined, ready: boolean): Versions {
  const { data = none } = useQuery({
    queryKey: [...versionsKey(sessionId), lastId],
    queryFn: () => readVersions(sessionId),
    enabled: ready && lastId !== undefined,
    placeholderData: keepPreviousData,
  });
  return data;
}

interface ReplyVersionsProps {
  /** The reply that is in use. */
  readonly reply: Message;
  /** Every answer to its question, oldest first. */
  readonly versions: readonly Message[];
  readonly conversation: Conversation;
}

/** Switches between the answers to a question: ‹ 1/2 ›. */
function ReplyVersions({ reply, versions, conversation }: ReplyVersionsProps) {
  const client = useQueryClient();
  const { sessionId } = reply;
  const at = versions.findIndex(({ id }) => id === reply.id);
  const choose = async (other: Message | undefined) => {
    if (other === undefined) return;
    try {
      const shown = await api.restoreMessage(sessionId, other.id);
      const hidden = await api.hideMessage(sessionId, reply.id);
      conversation.receive({ type: "message.updated", message: shown });
      conversation.receive({ type: "message.updated", message: hidden });
      await client.invalidateQueries({ queryKey: versionsKey(sessionId) });
    } catch (error) {
      toast({ title: "The answer was not changed", detail: wordsOf(error), tone: "error" });
    }
  };
  return (
    <span className="inline-flex items-center text-xs text-ink-soft">
      <IconButton small label="Previous answer" disabled={at === 0} onClick={() => void choose(versions[at - 1])}>
        <LeftIcon size={15} />
      </IconButton>
      <output aria-label="Answer">
        {at + 1}/{versions.length}
      </output>
      <IconButton
        small
        label="Next answer"
        disabled={at === versions.length - 1}
        onClick={() => void choose(versions[at + 1])}
      >
        <RightIcon size={15} />
      </IconButton>
    </span>
  );
}

async function readVersions(sessionId: string): Promise<Versions> {
  const { messages } = await api.listMessages(sessionId, { hidden: true, limit: most });
  const versions = new Map<string, readonly Message[]>();
  let answers: Message[] = [];
  const close = () => {
    // Where several are shown, such as a tool call and its result, the last one is the answer.
    const standing = answers.findLast(({ visibility }) => visibility === "visible");
    const own = answers.filter((answer) => answer === standing || answer.visibility === "hidden");
    if (standing !== undefined && own.length > 1) versions.set(standing.id, own);
    answers = [];
  };
  for (const message of messages) {
    if (message.role === "user") close();
    else if (message.role === "assistant" && message.parts.length > 0) answers.push(message);
  }
  close();
  return versions;
}
