import { findLastUser } from "../atoms/find-last-user.ts";
import { isFrame } from "../digest/frame.ts";
import { type Message, textOf } from "../message/message.ts";
import type { Edited } from "../plan/apply-edits.ts";
import type { FoldRecord } from "../plan/fold-record.ts";
import { type Archive, buildArchive } from "../recall/build-archive.ts";
import { recallExcerpts } from "../recall/recall-excerpts.ts";
import type { Conversation } from "./read-conversation.ts";

/** One index per fold, for as long as its record is alive. */
const archives = new WeakMap<FoldRecord, Archive>();
/** Less room than this holds no excerpt worth reading. */
const minTokens = 64;

export interface Recalling {
  readonly edited: Edited;
  readonly tokens: number;
}

/**
 * Puts back, just before the last user message, what folded messages say about it: word for word, within `recall` tokens
 * and the budget. So near the end the cached prefix stays as it was. Same record and question, same excerpts.
 */
export function withRecall(
  conversation: Conversation<unknown>,
  edited: Edited,
  tokens: number,
  record: FoldRecord,
): Recalling {
  const { options, messages, counter, limits } = conversation;
  const room = Math.min(options.recall ?? 0, limits.budget - tokens);
  const lastUser = findLastUser(messages, isFrame);
  const place = lastUser < 0 ? -1 : edited.origins.indexOf(lastUser);
  if (room < minTokens || place < 0) return { edited, tokens };
  let archive = archives.get(record);
  if (archive === undefined) {
    archive = buildArchive(foldedMessages(messages, record));
    archives.set(record, archive);
  }
  const overhead = counter.countMessage(asMessage(""));
  const { text } = recallExcerpts(archive, textOf(messages[lastUser]!), { counter, maxTokens: room - overhead });
  if (text === "") return { edited, tokens };
  const excerpt = asMessage(text);
  return {
    edited: {
      messages: edited.messages.toSpliced(place, 0, excerpt),
      origins: edited.origins.toSpliced(place, 0, -1),
    },
    tokens: tokens + counter.countMessage(excerpt),
  };
}

function asMessage(text: string): Message {
  return { role: "user", parts: [{ type: "text", text }] };
}

/** Folded messages in their places, so that an excerpt's id is its place in the conversation; the others are silent. */
function foldedMessages(messages: readonly Message[], record: FoldRecord): Message[] {
  const places: Message[] = messages.slice(0, record.covers).map(({ role }) => ({ role, parts: [] }));
  for (const edit of record.edits) {
    if (edit.do !== "drop") continue;
    for (let index = edit.first; index <= edit.last; index++) places[index] = messages[index]!;
  }
  return places;
}
