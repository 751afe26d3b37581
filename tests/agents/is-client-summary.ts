import { lastUserText, type Turn } from "@midfold/testkit";

/** How the clients ask the model to summarize their own history. */
const phrases: readonly RegExp[] = [
  /your task is to create a detailed summary of/i,
  /context checkpoint compaction/i,
  /detailed (prompt|summary) for continuing our conversation/i,
  /you are a context summarization agent/i,
];

/** Whether this request is the client summarizing for itself, because it believes or was told that its window is full. */
export function isClientSummary(turn: Turn): boolean {
  const last = turn.messages.findLast((message) => message.role !== "system");
  if (last === undefined || last.role !== "user") return false;
  const text = lastUserText(turn);
  return phrases.some((phrase) => phrase.test(text) || phrase.test(turn.system));
}
