import { type Sentence, splitSentences } from "./split-sentences.ts";

/** Shorter halves are not cut off: a clause has its subject and says something by itself. */
const shortest = 24;
const joint =
  /[,;:–—，；：](?=\s|[\u3000-\u9fff])|\s(?=(?:and|but|so|because|which|since|although|while|und|aber|weil|denn|sondern|et|mais|parce|car|y|pero|porque|e|ma|perché|mas|и|но|потому|что) )/giu;

/** Sentences of a text, long ones cut further where a new clause begins. Offsets are those of the text. */
export function splitClauses(text: string): Sentence[] {
  const clauses: Sentence[] = [];
  for (const sentence of splitSentences(text)) {
    if (sentence.text.length < 2 * shortest) {
      clauses.push(sentence);
      continue;
    }
    let start = 0;
    for (const found of sentence.text.matchAll(joint)) {
      const end = found.index + found[0].trimEnd().length;
      if (end - start < shortest || sentence.text.length - end < shortest) continue;
      clauses.push(clause(sentence, start, end));
      start = end;
    }
    clauses.push(clause(sentence, start, sentence.text.length));
  }
  return clauses;
}

function clause(sentence: Sentence, start: number, end: number): Sentence {
  const raw = sentence.text.slice(start, end);
  const body = raw.trim();
  return { text: body, start: sentence.start + start + (raw.length - raw.trimStart().length) };
}
