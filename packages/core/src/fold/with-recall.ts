import { type Message, textMessage, textOf } from "../message/message.ts";
import { turnLines } from "../message/turn-lines.ts";
import { applyEdits, insert } from "../plan/apply-edits.ts";
import type { Edit } from "../plan/fold-record.ts";
import { lastSide } from "../plan/turns.ts";
import { buildArchive } from "../recall/build-archive.ts";
import { excerptTokens } from "../recall/read-question.ts";
import { recallExcerpts } from "../recall/recall-excerpts.ts";
import type { Conversation } from "./read-conversation.ts";
import { recallTokens, reservedForRecall } from "./recall-room.ts";

/** Of the room until the next fold, excerpts for which nothing was set aside take this part. */
const spareShare = 0.1;

/**
 * The same edits with those that put back, just before the last user message, what folded messages say about it: word
 * for word, within `room` tokens. They join the fold's record, so the next request starts with the same bytes. Only the
 * newest `mostSearched` tokens of what was folded are looked through.
 */
export function withRecall(
  conversation: Conversation<unknown>,
  edits: readonly Edit[],
  room: number,
  mostSearched = Number.POSITIVE_INFINITY,
): readonly Edit[] {
  const { messages, counter, format } = conversation;
  const reserved = reservedForRecall(conversation);
  const most = Math.min(recallTokens(conversation), reserved > 0 ? room : Math.floor(room * spareShare));
  if (most < excerptTokens.least) return edits;
  const last = messages.length - 1;
  const archive = buildArchive(foldedMessages(conversation, edits, mostSearched));
  const frame = counter.countMessages([textMessage("user", ""), textMessage("assistant", turnLines.assistant)]);
  const { text } = recallExcerpts(archive, textOf(messages[last]!), { counter, maxTokens: most - frame });
  if (text === "") return edits;
  // The last message itself may be clipped: excerpts placed after that edit would follow the message.
  const clip = edits.findIndex((edit) => edit.do === "parts" && edit.at === last);
  const earlier = clip < 0 ? edits : edits.slice(0, clip);
  // Whoever's turn it is says it; where nothing but system messages come before, the assistant cannot open the list.
  const before = lastSide(applyEdits(messages.slice(0, last), earlier).messages, format.traits);
  const excerpts =
    before === "user"
      ? [insert(last, "assistant", text)]
      : [insert(last, "user", text), insert(last, "assistant", turnLines.assistant)];
  return [...earlier, ...excerpts, ...edits.slice(earlier.length)];
}

/**
 * Folded messages in their places, so that an excerpt's id is its place in the conversation; the others are silent, as are
 * old ones beyond `most` tokens.
 */
function foldedMessages({ messages, weights }: Conversation<unknown>, edits: readonly Edit[], most: number): Message[] {
  const places: Message[] = messages.map(({ role }) => ({ role, parts: [] }));
  let left = most;
  for (const edit of edits.toReversed()) {
    if (edit.do !== "drop") continue;
    for (let index = edit.last; index >= edit.first && left > 0; index--) {
      places[index] = messages[index]!;
      left -= weights[index]!;
    }
  }
  return places;
}
