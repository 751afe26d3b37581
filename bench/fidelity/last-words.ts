import { baselines } from "./baselines.ts";
import { type ChatMessage, contentOf, countMessage, countMessages, faultsOf, flatText } from "./conversation.ts";
import { loadSet, sample, setNames } from "./data.ts";
import { contentWords, indexWords, keptWords } from "./evidence.ts";
import type { Settings } from "./measure-set.ts";
import { ours } from "./ours.ts";

/** What a contestant keeps of the words that the user's last message answers, by ratio. */
export type LastWords = Readonly<
  Record<
    number,
    {
      readonly points: number;
      /** The sum of the shares of words that are left of what it answers. */
      readonly answered: number;
    }
  >
>;

const mostPoints = 3;
const mostConversations = 60;
const fewConversations = 10;
/** Below this a fold to a tenth has less than 150 tokens. */
const smallestPrefix = 1500;
const fewestWords = 8;

/**
 * What a reply hangs on. Every conversation is folded at the moment when the user has just said something to what the
 * assistant said: "the third, please" is nothing without the list. None of the other measures notices where that is gone.
 */
export async function scoreLastWords(
  name: string,
  { ratios, quick }: Settings,
  from: readonly string[] = setNames(),
): Promise<LastWords> {
  const contestant = [...ours, ...baselines].find((one) => one.name === name)!;
  const scores: Record<number, { points: number; answered: number }> = {};
  const prefixes = from.map(loadSet).flatMap(({ group, conversations }) => {
    if (group === "dialogues") return [];
    return sample(conversations, quick ? fewConversations : mostConversations).flatMap(({ messages }) =>
      endingWithReply(messages),
    );
  });
  for (const ratio of ratios) {
    const score = { points: 0, answered: 0 };
    scores[ratio] = score;
    for (const messages of prefixes) {
      score.points++;
      const budget = Math.floor(countMessages(messages) / ratio);
      const kept = await contestant.run({ messages, budget }).catch(() => undefined);
      if (kept === undefined || countMessages(kept) > budget || faultsOf(kept, messages).length > 0) continue;
      const text = kept.map(flatText).join("\n");
      const answered = contentOf(messages.at(-2)!);
      const words = new Set(contentWords(answered));
      score.answered += keptWords(answered, indexWords(text)).size / words.size;
    }
  }
  return scores;
}

/** Beginnings of a conversation that end with a user's message right behind words of the assistant. */
function endingWithReply(messages: readonly ChatMessage[]): ChatMessage[][] {
  const ends: number[] = [];
  let tokens = 0;
  messages.forEach((message, at) => {
    tokens += countMessage(message);
    const before = messages[at - 1];
    if (message.role !== "user" || before?.role !== "assistant" || tokens < smallestPrefix) return;
    if ((before.tool_calls ?? []).length > 0 || new Set(contentWords(contentOf(before))).size < fewestWords) return;
    ends.push(at);
  });
  return sample(ends, mostPoints).map((end) => messages.slice(0, end + 1));
}
