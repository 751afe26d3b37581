import { baselines } from "./baselines.ts";
import { type ChatMessage, countMessages, faultsOf, flatText } from "./conversation.ts";
import { loadSet, type Recorded, setNames } from "./data.ts";
import { contentWords, indexWords, keptWords } from "./evidence.ts";
import { ours } from "./ours.ts";

/** What a contestant keeps of a person's turns at 10:1, by the person's share of the words, in percent. */
export type LongAnswers = Readonly<Record<number, { readonly turns: number; readonly kept: number }>>;

export const userPercents = [4, 8, 12] as const;
const mostTurns = 100;
const speaker = /^\p{Lu}[\p{L} .'-]{0,30}: /u;

/**
 * Chats as people have them with an assistant: a person says little at a time and gets long answers. No set has any, so they
 * are put together: what two people say to each other as the person's turns, long texts of recorded assistants as answers. A
 * turn counts as kept where 70 % of its content words are, among the words they came with.
 */
export async function scoreLongAnswers(name: string): Promise<LongAnswers> {
  const contestant = [...ours, ...baselines].find((one) => one.name === name)!;
  const scores: Record<number, { turns: number; kept: number }> = {};
  for (const percent of userPercents) {
    const score = { turns: 0, kept: 0 };
    scores[percent] = score;
    for (const chat of chats(percent)) {
      const turns = chat.slice(0, -1).filter(({ role }) => role === "user");
      score.turns += turns.length;
      const budget = Math.floor(countMessages(chat) / 10);
      const kept = await contestant.run({ messages: chat, budget }).catch(() => undefined);
      if (kept === undefined || countMessages(kept) > budget || faultsOf(kept, chat).length > 0) continue;
      const words = indexWords(kept.map(flatText).join("\n"));
      for (const turn of turns) {
        const text = flatText(turn);
        if (keptWords(text, words).size >= 0.7 * new Set(contentWords(text)).size) score.kept++;
      }
    }
  }
  return scores;
}

function chats(percent: number): ChatMessage[][] {
  const answers = longTexts();
  let next = 0;
  const answerOf = (length: number) => {
    let text = "";
    while (text.length < length) text += `${answers[next++ % answers.length]!.slice(0, length - text.length)}\n`;
    return text;
  };
  return recorded("dialogues").map(({ messages }) => {
    const said = messages.map((message) => flatText(message).replace(speaker, ""));
    const chat: ChatMessage[] = [];
    for (let at = 0; at + 1 < said.length && chat.length < 2 * mostTurns; at += 2) {
      const content = `${said[at]} ${said[at + 1]}`;
      const answer = answerOf(content.length * (100 / percent - 1));
      chat.push({ role: "user", content }, { role: "assistant", content: answer });
    }
    return [...chat, { role: "user", content: "Can we go on with this?" }];
  });
}

/** Texts of assistants that are long enough for an answer and no whole file. */
function longTexts(): string[] {
  return recorded("agents").flatMap(({ messages }) =>
    messages.flatMap(({ role, content }) =>
      role === "assistant" && content !== null && content.length > 1200 && content.length < 8000 ? [content] : [],
    ),
  );
}

/** Of dialogues only those between two people: turns of a meeting are no turns of a chat. */
function recorded(group: "agents" | "dialogues"): Recorded[] {
  return setNames()
    .map(loadSet)
    .filter((set) => set.group === group && !set.name.startsWith("qmsum"))
    .flatMap(({ conversations }) => conversations);
}
