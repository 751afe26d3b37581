import { findLastUser } from "../atoms/find-last-user.ts";
import { isFrame } from "../digest/frame.ts";
import { type Message, textOf } from "../message/message.ts";
import { applyEdits } from "../plan/apply-edits.ts";
import type { Edit } from "../plan/fold-record.ts";
import { buildArchive } from "../recall/build-archive.ts";
import { recallExcerpts } from "../recall/recall-excerpts.ts";
import type { Conversation } from "./read-conversation.ts";

/** Less room than this holds no excerpt worth reading. */
const minTokens = 64;
const acknowledgement = "Noted.";

/**
 * Where the last message is a question of the user: how many tokens of excerpts may be put before it. Nothing while an
 * agent is at work, since then the question was answered with excerpts when it came.
 */
export function recallTokens(conversation: Conversation<unknown>): number {
  const { options, preset, limits, messages } = conversation;
  // A share of what the fold goes down to, which may be far below the budget: else recall would undo the fold.
  const line = Math.min(limits.budget, limits.trigger.tokens ?? limits.budget, conversation.tokens);
  const asked = options.recall ?? Math.floor(line * (preset.recall ?? 0));
  const last = messages.length - 1;
  if (asked < minTokens || findLastUser(messages, isFrame) !== last || last < 1) return 0;
  // Tool results in the same message belong to the calls before it; nothing may come between.
  const message = messages[last]!;
  return message.parts.some((part) => part.type === "tool-result") || callsTools(messages[last - 1]!) ? 0 : asked;
}

function callsTools(message: Message): boolean {
  return message.parts.some((part) => part.type === "tool-call" && part.hosted !== true);
}

/**
 * The same edits with those that put back, just before the last user message, what folded messages say about it: word
 * for word, within `room` tokens. They join the fold's record, so the next request starts with the same bytes.
 */
export function withRecall(conversation: Conversation<unknown>, edits: readonly Edit[], room: number): readonly Edit[] {
  const { messages, counter, format } = conversation;
  const most = Math.min(recallTokens(conversation), room);
  if (most < minTokens) return edits;
  const last = messages.length - 1;
  const archive = buildArchive(foldedMessages(messages, edits));
  const frame = counter.countMessages([said("user", ""), said("assistant", acknowledgement)]);
  const { text } = recallExcerpts(archive, textOf(messages[last]!), { counter, maxTokens: most - frame });
  if (text === "") return edits;
  // The last message itself may be clipped: excerpts placed after that edit would follow the message.
  const clip = edits.findIndex((edit) => edit.do === "parts" && edit.at === last);
  const earlier = clip < 0 ? edits : edits.slice(0, clip);
  const excerpts = [insert(last, "user", text)];
  if (format.traits.alternates) {
    // Whoever's turn it is says it; where nothing but system messages come before, the assistant cannot open the list.
    const previous = applyEdits(messages.slice(0, last), earlier).messages.at(-1)?.role;
    if (previous === "user" || previous === "tool") excerpts[0] = insert(last, "assistant", text);
    else excerpts.push(insert(last, "assistant", acknowledgement));
  }
  return [...earlier, ...excerpts, ...edits.slice(earlier.length)];
}

function said(role: "user" | "assistant", text: string): Message {
  return { role, parts: [{ type: "text", text }] };
}

function insert(before: number, role: "user" | "assistant", text: string): Edit {
  return { do: "insert", before, role, parts: [{ type: "text", text }] };
}

/** Folded messages in their places, so that an excerpt's id is its place in the conversation; the others are silent. */
function foldedMessages(messages: readonly Message[], edits: readonly Edit[]): Message[] {
  const places: Message[] = messages.map(({ role }) => ({ role, parts: [] }));
  for (const edit of edits) {
    if (edit.do !== "drop") continue;
    for (let index = edit.first; index <= edit.last; index++) places[index] = messages[index]!;
  }
  return places;
}
