import type { Turn } from "./turn.ts";

/** How clients ask the model to sum up their own conversation. */
const phrases = [
  "your task is to create a detailed summary of",
  "context checkpoint compaction",
  "prompt for continuing our conversation",
  "summary for continuing our conversation",
  "you are a context summarization agent",
  "create a handoff summary",
];
/** No client asks for a summary in fewer bytes. */
const minBytes = 80;
/** Compaction prompts are long, but their opening words come early. */
const searchedBytes = 16 * 1024;

/** Whether the client is compacting: such a request must go through, whatever has to be folded for it. */
export function isCompactionRequest(turn: Turn): boolean {
  if (turn.protocol.body.compaction?.isAsked(turn.body.value) === true) return true;
  const { bytes, scanned } = turn.body;
  const last = scanned.elements?.at(-1);
  if (last === undefined || last.end - last.start < minBytes) return false;
  const end = Math.min(last.end, last.start + searchedBytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + last.start, end - last.start)
    .toString("latin1")
    .toLowerCase();
  return phrases.some((phrase) => text.includes(phrase));
}
