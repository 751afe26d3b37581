import { stopWords } from "../text/stop-words.ts";
import { termsOf } from "../text/terms-of.ts";

/** A longer reply brings what it is about with it. */
const longestReply = 1000;
/** Of a longer text only so much is looked at. */
const mostChars = 200_000;
/** A mark stands at the start of its line; a line of a million stars would be looked through again and again. */
const longestMark = 40;
/** An entry has at most so many lines of its own. */
const longestEntry = 8;
/** A word names an entry where at most so many entries have it. */
const mostWith = 2;

const mark = /^[\s#>*_-]*(?:[*_]*\p{L}{4,10} )?[#(]?(?:(\d{1,3})|([A-Z]))[.):\]](?=[\s*_])/u;
const bullet = /^\s{0,3}[-*•] /;

/** First, second, … and, as the last one of the list, last; in ten languages. */
const places = [
  "first|1st|erste|premi|primer|prim[oa]|eerste|перв|第一|一番目",
  "second|2nd|zweite|deuxi|segund|tweede|втор|第二|二番目",
  "third|3rd|dritte|troisi|tercer|terz[oa]|terceir|derde|трет|第三|三番目",
  "fourth|4th|vierte|quatri|cuart[oa]|quart[oa]|vierde|четв|第四|四番目",
  "last|latter|letzte|derni|últim|ultim|laatste|последн|最后|最後",
].map((words) => new RegExp(`(?<!\\p{L})(?:${words})`, "iu"));

/**
 * The entries of a list and other lines that a reply names: by number ("address 12/14"), by letter ("option B"), by place
 * ("the third, please") or by a word that few of them have ("the one with Postgres"). Best first.
 *
 * @example namedBy("the second, please", "Which one?\n1. Oslo\n2. Bergen"); // ["2. Bergen"]
 */
export function namedBy(reply: string, text: string): string[] {
  if (reply.length > longestReply) return [];
  const entries = entriesOf(text.slice(0, mostChars).split("\n"));
  const listed = entries.filter(({ mark }) => mark !== undefined);
  const names = new Set(reply.match(/(?<![\d.])\d{1,3}(?![\d.]*\d)|(?<!\p{L})[B-Z](?!\p{L})/gu));
  const named = new Set(listed.filter(({ mark }) => names.has(mark!)));
  if (named.size === 0) {
    places.forEach((place, at) => {
      const entry = listed.at(at === places.length - 1 ? -1 : at);
      if (entry !== undefined && place.test(reply)) named.add(entry);
    });
  }
  const words = new Set(termsOf(reply).filter((term) => term.length > 2 && !stopWords.has(term)));
  const having = new Map<string, Entry[]>();
  for (const entry of entries) {
    for (const term of new Set(termsOf(entry.lines.join("\n")))) {
      if (words.has(term)) having.set(term, [...(having.get(term) ?? []), entry]);
    }
  }
  for (const list of having.values()) if (list.length <= mostWith) for (const entry of list) named.add(entry);
  return [...named].map(({ lines }) => lines.join("\n"));
}

interface Entry {
  /** Its number or letter; empty where it has none, undefined for a line that is no entry of a list. */
  readonly mark: string | undefined;
  readonly lines: string[];
}

function entriesOf(lines: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  let open = false;
  for (const line of lines) {
    const found = mark.exec(line.slice(0, longestMark));
    const entry = found?.[1] ?? found?.[2] ?? (bullet.test(line) ? "" : undefined);
    if (line.trim() === "") open = false;
    else if (entry === undefined && open && entries.at(-1)!.lines.length < longestEntry)
      entries.at(-1)!.lines.push(line);
    else {
      entries.push({ mark: entry, lines: [line] });
      open = entry !== undefined;
    }
  }
  return entries;
}
