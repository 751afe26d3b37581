import { frameOf } from "../digest/frame.ts";
import { segmentsOf } from "../digest/segments-of.ts";
import type { Message } from "../message/message.ts";
import { stopWords } from "../text/stop-words.ts";
import { splitWords, type TextWords } from "./split-words.ts";
import { StemCollector, type StemIndex } from "./stem-index.ts";

/** One folded message, as far as it can be searched. */
export interface ArchiveEntry {
  /** Index in the list the archive was built from. */
  readonly message: number;
  /** Name to ask for it by: `m12`. */
  readonly id: string;
  readonly role: Message["role"];
  readonly text: string;
  /** Number of search terms. */
  readonly length: number;
}

/** Folded messages with an inverted index over their words. Plain data; built once per fold. */
export interface Archive {
  readonly entries: readonly ArchiveEntry[];
  readonly postings: ReadonlyMap<string, readonly Posting[]>;
  readonly meanLength: number;
  readonly stems: StemIndex;
}

export interface Posting {
  readonly entry: number;
  readonly count: number;
}

export interface BuildArchiveOptions {
  /** Added to message indices, when the list is a later part of a conversation. */
  readonly firstIndex?: number;
}

/** Longer texts are indexed at both ends; all of the text can still be read by id. */
const longestIndexed = 60_000;

/**
 * An index of messages that left the conversation, for `searchArchive`, `recallExcerpts` and `answerRecall`.
 *
 * @example const archive = buildArchive(folded);
 */
export function buildArchive(messages: readonly Message[], options: BuildArchiveOptions = {}): Archive {
  const first = options.firstIndex ?? 0;
  const entries: ArchiveEntry[] = [];
  const postings = new Map<string, Posting[]>();
  const stems = new StemCollector();
  let total = 0;
  messages.forEach((message, index) => {
    if (frameOf(message) !== undefined) return;
    const text = readableText(message);
    if (text === "") return;
    const counts = new Map<string, number>();
    let length = 0;
    const { words, terms } = splitWords(indexedPart(text));
    stems.add(words);
    for (const term of terms) {
      if (stopWords.has(term)) continue;
      counts.set(term, (counts.get(term) ?? 0) + 1);
      length++;
    }
    const day = dayWords(message.at);
    stems.add(day.words);
    for (const term of day.terms) counts.set(term, counts.get(term) ?? 1);
    const entry = entries.length;
    entries.push({ message: first + index, id: `m${first + index}`, role: message.role, text, length });
    total += length;
    for (const [term, count] of counts) {
      const list = postings.get(term);
      if (list === undefined) postings.set(term, [{ entry, count }]);
      else list.push({ entry, count });
    }
  });
  return { entries, postings, meanLength: entries.length === 0 ? 0 : total / entries.length, stems: stems.finish() };
}

const languages = "en de fr es it pt ru zh ja ko".split(" ");

/** The words by which somebody asks for what was said on a day: "What did we decide on 3 June?", "… im Juni 2026?" */
function dayWords(at: string | undefined): TextWords {
  const date = new Date(at ?? "");
  if (Number.isNaN(date.getTime())) return { words: [], terms: [] };
  const month = date.getMonth();
  months[month] ??= splitWords(languages.map((name) => date.toLocaleDateString(name, { month: "long" })).join(" "));
  const { words, terms } = months[month];
  return { words, terms: [...terms, `${date.getDate()}`, `${date.getFullYear()}`] };
}

/** Of each month, made when it is first met: to write out a date takes as long as to index a message. */
const months: TextWords[] = [];

function indexedPart(text: string): string {
  if (text.length <= longestIndexed) return text;
  return `${text.slice(0, longestIndexed / 2)}\n${text.slice(-longestIndexed / 2)}`;
}

function readableText(message: Message): string {
  return segmentsOf(message)
    .map((segment) => (segment.kind === "call" ? `${segment.name} ${segment.text}` : segment.text))
    .filter((text) => text !== "")
    .join("\n");
}
