import type { MessageRecord, OwnerStore, SessionRecord } from "@midfold/store";
import type { SessionExport } from "../../api/transfer.ts";
import type { Chat } from "../chat.ts";
import { modelOf } from "../context/load-context.ts";
import { toApiParts } from "../sessions/to-api-parts.ts";

/** Everything in a session, hidden messages and past summaries included. */
export async function exportJson(chat: Chat, store: OwnerStore, session: SessionRecord): Promise<SessionExport> {
  const messages: MessageRecord[] = [];
  for (let after = 0; ; ) {
    const page = await store.messages.list(session.id, { after, limit: 1000 });
    messages.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < 1000) break;
    after = last.seq;
  }
  const summaries = await store.snapshots.summaries(session.id);
  return {
    midfold: 1,
    title: session.title,
    model: modelOf(chat, session),
    system: session.systemPrompt ?? null,
    exportedAt: new Date(chat.now()).toISOString(),
    messages: messages.map((message) => ({
      id: message.id,
      role: message.role,
      parts: toApiParts(message.parts),
      createdAt: new Date(message.createdAt).toISOString(),
      status: message.status,
      visibility: message.visibility,
      model: message.model ?? null,
      inputTokens: message.inputTokens ?? null,
      outputTokens: message.outputTokens ?? null,
    })),
    summaries: summaries.toReversed().map((summary) => ({
      id: summary.id,
      active: summary.state === "active",
      cutoffMessageId: summary.content.messageRange.lastMessageId,
      content: summary.content,
    })),
  };
}
