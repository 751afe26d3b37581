/**
 * Words for searching, of any language: lower case, accents folded, English endings cut lightly, runs of Chinese,
 * Japanese, Korean and Thai as overlapping pairs, since they write no spaces.
 */
// At most so many letters at once: the engine notes each on its stack, which five million of them overflow.
const word = /[\p{L}\p{N}]{1,9999}/gu;
const unspaced = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/;
const longestWord = 64;

/**
 * Texts use the same words over and over, so what a word comes to is remembered. Only short ones: the engine keeps a longer
 * piece of a text as a reference to the whole text, which would then never be freed.
 */
const known = new Map<string, string>();
const mostKnown = 20_000;
const longestKnown = 12;

export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const found of text.match(word) ?? []) {
    let term = known.get(found);
    if (term === undefined) {
      if (unspaced.test(found)) {
        pushPairs(found, terms);
        continue;
      }
      term = termOf(found);
    }
    terms.push(term);
  }
  return terms;
}

function pushPairs(run: string, terms: string[]): void {
  let rest = "";
  let previous = "";
  for (const char of run) {
    if (!unspaced.test(char)) {
      rest += char;
      previous = "";
      continue;
    }
    if (rest !== "") terms.push(termOf(rest));
    rest = "";
    if (previous !== "") terms.push(previous + char);
    previous = char;
  }
  if (rest !== "") terms.push(termOf(rest));
  else if (run.length === previous.length) terms.push(previous);
}

/** The term of one word of a script that writes spaces. */
export function termOf(found: string): string {
  let term = known.get(found);
  if (term === undefined) {
    term = writeTerm(found);
    if (known.size >= mostKnown) known.clear();
    if (found.length <= longestKnown) known.set(found, term);
  }
  return term;
}

function writeTerm(found: string): string {
  const lower = found.slice(0, longestWord).toLowerCase();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a plain ASCII test
  return stem(/^[\x00-\x7f]*$/.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}/gu, ""));
}

/** Gives "booked", "booking" and "books" the same term. Stronger stemming was tried: it found no more, in German less. */
export function stem(term: string): string {
  if (term.length < 4 || term.charCodeAt(0) > 0x7f) return term;
  let short = term;
  if (short.endsWith("ies") && short.length > 4) return `${short.slice(0, -3)}y`;
  if (short.endsWith("s") && !short.endsWith("ss") && !short.endsWith("us")) short = short.slice(0, -1);
  if (short.endsWith("ing") && short.length > 5) return undouble(short.slice(0, -3));
  if (short.endsWith("ed") && short.length > 4) return undouble(short.slice(0, -2));
  return short.endsWith("e") && short.length > 4 ? short.slice(0, -1) : short;
}

function undouble(short: string): string {
  const last = short.at(-1);
  return last !== undefined && last === short.at(-2) && !"lsz".includes(last) ? short.slice(0, -1) : short;
}
