import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import type { Message } from "../api/types.gen.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { LeftIcon, RightIcon } from "../ui/icons.tsx";
import { toast } from "../ui/toast.tsx";
import type { Conversation } from "./conversation.ts";

const versionsKey = (sessionId: string) => ["session", sessionId, "versions"] as const;
/** Nobody answers again more often than that. */
const most = 40;

interface ReplyVersionsProps {
  /** The reply that stands, the last of the conversation. */
  readonly reply: Message;
  readonly conversation: Conversation;
}

/** The answers the last question got, one of which counts: ‹ 1/2 ›. Nothing while there is only one. */
export function ReplyVersions({ reply, conversation }: ReplyVersionsProps) {
  const client = useQueryClient();
  const { sessionId } = reply;
  const { data } = useQuery({
    queryKey: [...versionsKey(sessionId), reply.id],
    queryFn: () => readVersions(sessionId),
  });
  const versions = data ?? [];
  const at = versions.findIndex(({ id }) => id === reply.id);
  if (versions.length < 2 || at < 0) return null;
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
      <IconButton small label="Answer before" disabled={at === 0} onClick={() => void choose(versions[at - 1])}>
        <LeftIcon size={15} />
      </IconButton>
      <output aria-label="Answer">
        {at + 1}/{versions.length}
      </output>
      <IconButton
        small
        label="Answer after"
        disabled={at === versions.length - 1}
        onClick={() => void choose(versions[at + 1])}
      >
        <RightIcon size={15} />
      </IconButton>
    </span>
  );
}

/** Every reply to the last question, oldest first. */
async function readVersions(sessionId: string): Promise<readonly Message[]> {
  const { messages } = await api.listMessages(sessionId, { hidden: true, limit: most });
  const question = messages.findLastIndex(({ role, visibility }) => role === "user" && visibility === "visible");
  return messages.slice(question + 1).filter(({ role, parts }) => role === "assistant" && parts.length > 0);
}
