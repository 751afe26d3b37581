import type { SessionRecord } from "@midfold/store";
import type { Session } from "../../api/session.ts";
import type { Chat } from "../chat.ts";
import { modelOf } from "../context/load-context.ts";
import { replyKey } from "../turn/running-work.ts";

/** Pins, archive and tags of a session, kept in the metadata of its record. */
export interface Shelf {
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly tags: string[];
}

export function shelfOf({ metadata }: SessionRecord): Shelf {
  const { pinned, archived, tags } = metadata;
  const list = Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
  return { pinned: pinned === true, archived: archived === true, tags: list };
}

type ShelfChange = { readonly [TName in keyof Shelf]?: Shelf[TName] | undefined };

/** The metadata after a change; a tag counts once. */
export function toShelf({ pinned, archived, tags }: ShelfChange): Partial<Shelf> {
  return {
    ...(pinned === undefined ? {} : { pinned }),
    ...(archived === undefined ? {} : { archived }),
    ...(tags === undefined ? {} : { tags: [...new Set(tags)] }),
  };
}

/** A session as the API shows it, with its counts and its active summary. */
export async function toApiSession(chat: Chat, record: SessionRecord): Promise<Session> {
  const [totals, summary] = await Promise.all([
    chat.store.messages.totals(record.id),
    chat.store.snapshots.activeSummary(record.id),
  ]);
  return {
    id: record.id,
    title: record.title,
    model: modelOf(chat, record),
    system: record.systemPrompt ?? null,
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
    version: record.version,
    messageCount: totals.messages,
    summaryId: summary?.id ?? null,
    foldedMessages: totals.summarized,
    branchedFrom:
      record.parent === undefined
        ? null
        : { sessionId: record.parent.sessionId, messageId: record.parent.messageId ?? null },
    ...shelfOf(record),
    replying: chat.running.has(replyKey(chat.store.owner, record.id)),
  };
}
