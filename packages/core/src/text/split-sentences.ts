export interface Sentence {
  readonly text: string;
  /** Offset in the text it was cut from. */
  readonly start: number;
}

const newline = 10;
const wide = new Set(["。", "！", "？", "；", "।", "؟"]);
/** A full stop before one of these ends a quotation, not the sentence around it. */
const closing = new Set(['"', "”", "」", "』", "»"]);
const abbreviation = /(?:^|[\s(])(?:[A-Za-z]|e\.g|i\.e|etc|vs|Mr|Mrs|Ms|Dr|St|No|approx|z\.B|bzw|p\.ex|т\.е)$/;
const listNumber = /^\s*\d{1,3}$/;

/** Sentences and lines of a text, trimmed, none longer than `longest`. Linear; a text without any end is cut at spaces. */
export function splitSentences(text: string, longest = 1000): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  let space = -1;
  const push = (end: number) => {
    const raw = text.slice(start, end);
    const body = raw.trim();
    if (body !== "") sentences.push({ text: body, start: start + (raw.length - raw.trimStart().length) });
    start = end;
    space = -1;
  };
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === newline) {
      push(i);
      start = i + 1;
    } else if (code === 32) {
      space = i;
      if (i > start && isEnd(text, i - 1, start)) push(i);
    } else if (code > 0x900 && wide.has(text[i]!) && !closing.has(text[i + 1]!)) push(i + 1);
    if (i - start >= longest) push(space > start ? space : isPairEnd(text, i + 1) ? i + 2 : i + 1);
  }
  push(text.length);
  return sentences;
}

/** A full stop, question or exclamation mark (perhaps before a closing quote) that is no abbreviation's. */
function isEnd(text: string, at: number, start: number): boolean {
  const char = text[at]!;
  if (char === "!" || char === "?") return true;
  if (char === ".") {
    // "warm... right now" is one sentence.
    if (text[at - 1] === "." && goesOn(text, at)) return false;
    // The number of a list belongs to what it numbers: alone it would be quoted as a sentence that says nothing.
    if (abbreviation.test(text.slice(Math.max(start, at - 8), at)) || listNumber.test(text.slice(start, at)))
      return false;
    return !isOrdinal(text, at, start);
  }
  if ((char !== '"' && char !== ")" && char !== "”") || at <= start || !".!?".includes(text[at - 1]!)) return false;
  // `He said "Stop." and left.` is one sentence: what follows a quoted one in lower case belongs to it.
  return !goesOn(text, at);
}

/** "Am 3. Mai", "im 2. Quartal", "den 3. maj": cut behind the number, neither half says anything. */
function isOrdinal(text: string, at: number, start: number): boolean {
  const before = /(?:(\p{L}+)\s)?(?<!\d)\d{1,2}$/u.exec(text.slice(Math.max(start, at - 12), at));
  if (before === null) return false;
  return month.test(text.slice(at + 1, at + 12)) || article.test(before[1] ?? "");
}

const month = /^\s(?:jan|feb|mär|mar[st]|apr|ma[ij]\b|jun|jul|aug|sep|o[kc]t|nov|de[zsc])/i;
const article = /^(?:der|den|dem|des|das|im|vom|zum|beim)$/i;

function goesOn(text: string, at: number): boolean {
  return /^\s*\p{Ll}/u.test(text.slice(at + 1, at + 4));
}

function isPairEnd(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}
