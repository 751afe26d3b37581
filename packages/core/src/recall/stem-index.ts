import { termOf } from "../text/terms-of.ts";
import { guessLanguages, latinLanguages } from "./guess-language.ts";
import { type LatinLanguage, stemsOf } from "./stemmers.ts";

/** Which terms of an archive are forms of one word. */
export interface StemIndex {
  /** All that are spoken in it: who asks may use another one than the message that answers. */
  readonly languages: readonly LatinLanguage[];
  /** By language and stem. */
  readonly terms: ReadonlyMap<string, readonly string[]>;
}

/**
 * What more messages speak may be in any message, also in one too short to tell. A language of fewer, which may be
 * misjudged, is that of its own messages alone: with each one every word takes as long again.
 */
const commonShare = 0.05;
/** Of a megabyte of random letters, each stem of which takes some microseconds. */
const mostStems = 60_000;

/** What messages have in common that may be of the same languages. */
interface Speakers {
  readonly languages: readonly LatinLanguage[];
  readonly words: Set<string>;
  messages: number;
}

/** Gathers the words of messages; which languages to stem them in is known when all have been seen. */
export class StemCollector {
  readonly #speakers = new Map<string, Speakers>();

  add(words: readonly string[]): void {
    const languages = guessLanguages(words);
    const key = languages.join();
    const speakers = this.#speakers.get(key) ?? { languages, words: new Set(), messages: 0 };
    this.#speakers.set(key, speakers);
    speakers.messages++;
    for (const word of words) speakers.words.add(word);
  }

  finish(): StemIndex {
    const terms = new Map<string, string[]>();
    const { languages, common } = this.#languages();
    let left = mostStems;
    for (const speakers of this.#speakers.values()) {
      const own = languages.filter((language) => common.has(language) || speakers.languages.includes(language));
      for (const word of speakers.words) {
        for (const key of keysOf(word, own)) {
          if (--left < 0) return { languages, terms };
          const term = termOf(word);
          const list = terms.get(key);
          if (list === undefined) terms.set(key, [term]);
          else if (!list.includes(term)) list.push(term);
        }
      }
    }
    return { languages, terms };
  }

  /** All that may be spoken, and the common ones of them; where no message tells, it may be any. */
  #languages(): { readonly languages: readonly LatinLanguage[]; readonly common: ReadonlySet<LatinLanguage> } {
    const messages = new Map<LatinLanguage, number>();
    let all = 0;
    for (const speakers of this.#speakers.values()) {
      for (const language of speakers.languages) {
        const share = speakers.messages / speakers.languages.length;
        messages.set(language, (messages.get(language) ?? 0) + share);
        all += share;
      }
    }
    if (all === 0) return { languages: latinLanguages, common: new Set(latinLanguages) };
    const common = [...messages].filter(([, count]) => count >= all * commonShare).map(([language]) => language);
    return { languages: [...messages.keys()], common: new Set(common) };
  }
}

/** The terms of an archive that are a form of a word, perhaps the word itself. */
export function formsOf(word: string, { languages, terms }: StemIndex): readonly string[] {
  return keysOf(word, languages).flatMap((key) => terms.get(key) ?? []);
}

function keysOf(word: string, languages: readonly LatinLanguage[]): readonly string[] {
  return stemsOf(word, languages).map(({ language, stem }) => `${language} ${stem}`);
}
