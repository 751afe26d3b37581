import { findLastUser } from "../atoms/find-last-user.ts";
import { isFrame } from "../digest/frame.ts";
import { type Message, textMessage, textOf } from "../message/message.ts";
import { turnLines } from "../message/turn-lines.ts";
import { applyEdits, insert } from "../plan/apply-edits.ts";
import type { Edit } from "../plan/fold-record.ts";
import { lastSide } from "../plan/turns.ts";
import { asks, excerptTokens, unaskedShare } from "../recall/read-question.ts";
import type { FoldOptions } from "./fold-options.ts";
import type { Conversation } from "./read-conversation.ts";

/**
 * Where the last message is a question of the user: how many tokens of excerpts may be put before it. Nothing while an
 * agent is at work, since then the question was answered with excerpts when it came.
 */
export function recallTokens(conversation: Conversation<unknown>): number {
  const { options, preset, limits, messages } = conversation;
  const last = messages.length - 1;
  if (last < 1) return 0;
  // A share of what the fold goes down to, which may be far below the budget: else recall would undo the fold.
  const line = Math.min(limits.budget, limits.trigger.tokens ?? limits.budget, conversation.tokens);
  const part = (asks(textOf(messages[last]!)) ? 1 : unaskedShare) * (isSession(options) ? sessionShare : 1);
  const share = (preset.recall ?? 0) * shareOfTalk(conversation) * part;
  const room = options.recall ?? Math.min(excerptTokens.most, Math.floor(line * share));
  if (room < excerptTokens.least || findLastUser(messages, isFrame) !== last) return 0;
  // Tool results in the same message belong to the calls before it; nothing may come between.
  const message = messages[last]!;
  return message.parts.some((part) => part.type === "tool-result") || callsTools(messages[last - 1]!) ? 0 : room;
}

/** What is set aside for excerpts before the fold: nothing where a document fixes what each part of a request gets. */
export function reservedForRecall(conversation: Conversation<unknown>): number {
  return conversation.preset.scope === "plain" ? 0 : recallTokens(conversation);
}

/** In a session every question adds excerpts that stay: with more of them the next fold would come too soon. */
const sessionShare = 0.2;
/** Of the room until the next fold, excerpts for which nothing was set aside take this part. */
const spareShare = 0.1;

/** Whether folds are remembered from call to call. */
export function isSession(options: FoldOptions): boolean {
  return options.cache !== undefined || "state" in options;
}

/**
 * How much of the conversation was said rather than done by tools, squared: questions are answered from talk, while of tool
 * results the digest keeps more of what comes next than a search by the question's words finds (measured: `bench:fidelity`).
 */
function shareOfTalk({ messages, weights }: Conversation<unknown>): number {
  let talk = 0;
  let all = 1;
  messages.forEach(({ parts }, index) => {
    all += weights[index]!;
    if (!parts.some(({ type }) => type === "tool-call" || type === "tool-result")) talk += weights[index]!;
  });
  return (talk / all) ** 2;
}

function callsTools(message: Message): boolean {
  return message.parts.some((part) => part.type === "tool-call" && part.hosted !== true);
}

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
  const { messages, counter, format, quote } = conversation;
  const reserved = reservedForRecall(conversation);
  const most = Math.min(recallTokens(conversation), reserved > 0 ? room : Math.floor(room * spareShare));
  if (most < excerptTokens.least || quote === undefined) return edits;
  const last = messages.length - 1;
  const folded = foldedMessages(conversation, edits, mostSearched);
  const frame = counter.countMessages([textMessage("user", ""), textMessage("assistant", turnLines.assistant)]);
  const { text } = quote(folded, textOf(messages[last]!), { counter, maxTokens: most - frame });
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
