const maxSentence = 200;

/** The first sentences of a text that say something, each shortened to a line. */
export function pickSentences(text: string, count: number): string[] {
  const found: string[] = [];
  for (const line of text.slice(0, 4000).toWellFormed().split(/\r?\n/)) {
    for (const sentence of line.split(/(?<=[.!?。！？])\s+/)) {
      const words = sentence.replace(/\s+/g, " ").trim();
      if (!/[\p{L}\p{N}]{2}/u.test(words) || words.startsWith("<")) continue;
      found.push(shorten(words));
      if (found.length === count) return found;
    }
  }
  return found;
}

function shorten(words: string): string {
  if (words.length <= maxSentence) return words;
  return `${Array.from(words.slice(0, maxSentence).toWellFormed()).slice(0, -1).join("")}…`;
}
