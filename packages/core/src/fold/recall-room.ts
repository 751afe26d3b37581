import { findLastUser } from "../atoms/find-last-user.ts";
import { isFrame } from "../digest/frame.ts";
import { type Message, textOf } from "../message/message.ts";
import { askedTerms, excerptTokens, unaskedShare } from "../recall/read-question.ts";
import { asks } from "../text/asks.ts";
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
  const least = options.recall === undefined ? leastSetAside : excerptTokens.least;
  if (room < least || findLastUser(messages, isFrame) !== last) return 0;
  // Tool results in the same message belong to the calls before it; nothing may come between.
  const message = messages[last]!;
  if (message.parts.some((part) => part.type === "tool-result") || callsTools(messages[last - 1]!)) return 0;
  return options.recall === undefined && !canSearch(messages) ? 0 : room;
}

/** In less room the messages just before a question bear on it more than excerpts, and more of them fit. */
const leastSetAside = 192;
/** A word that is in more than this share of the messages finds nothing in particular. */
const mostWith = 0.25;
/** Of a long message so many words are looked up: each may read through the whole conversation. */
const mostTerms = 40;
const known = new WeakMap<readonly Message[], boolean>();

/**
 * Whether the last message has a word that some messages have and most have not. For "Can we go on with this?" a third of the
 * budget went to excerpts with "go" in them, and for a question about something new as much was kept free for nothing.
 */
function canSearch(messages: readonly Message[]): boolean {
  let found = known.get(messages);
  if (found === undefined) {
    const texts = messages.slice(0, -1).map((message) => withoutAccents(textOf(message)));
    const asked = [...askedTerms(textOf(messages.at(-1)!))].slice(0, mostTerms);
    found = asked.some((term) => {
      // As much of it as its other forms begin with: "story" is in "stories", "haus" what is left of "Häuser".
      const start = term.length > 4 ? term.slice(0, term.length > 5 ? -2 : -1) : term;
      const count = texts.filter((text) => text.includes(start)).length;
      return count > 0 && count <= Math.max(1, texts.length * mostWith);
    });
    known.set(messages, found);
  }
  return found;
}

/** What is set aside for excerpts before the fold: nothing where a document fixes what each part of a request gets. */
export function reservedForRecall(conversation: Conversation<unknown>): number {
  return conversation.preset.scope === "plain" ? 0 : recallTokens(conversation);
}

/** In a session every question adds excerpts that stay: with more of them the next fold would come too soon. */
const sessionShare = 0.2;

/** Whether folds are remembered from call to call. */
export function isSession(options: FoldOptions): boolean {
  return options.cache !== undefined || "state" in options;
}

/**
 * How much of the conversation was said rather than done by tools, squared: questions are answered from talk, while of tool
 * results the digest keeps more of what comes next than a search by the question's words finds (measured: `bench:fidelity`).
 */
export function shareOfTalk({ messages, weights }: Conversation<unknown>): number {
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

/** As terms are written, but for their endings; the letters of other scripts stay whole. */
function withoutAccents(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]+/g, "")
    .normalize();
}
