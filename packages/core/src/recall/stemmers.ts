import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as english } from "stemmer";

const stemmers = {
  de: german,
  en: english,
  es: spanish,
  fr: french,
  it: italian,
  nl: dutch,
  pt: portuguese,
  ru: russian,
} as const;

type StemmedLanguage = keyof typeof stemmers;
/** Written with Latin letters, so that their words must be told apart; Cyrillic ones are taken for Russian. */
export type LatinLanguage = Exclude<StemmedLanguage, "ru">;

export interface Stem {
  readonly language: StemmedLanguage;
  /** What the forms of a word share, without accents, which people leave out when they type a question. */
  readonly stem: string;
}

/** Shorter words have no endings; longer ones are no words. */
const latin = /^\p{Script=Latin}{3,32}$/u;
const cyrillic = /^\p{Script=Cyrillic}{3,32}$/u;

/** The stems of a lower-case word: in Latin letters one for each language it may be of. */
export function stemsOf(word: string, languages: readonly LatinLanguage[]): readonly Stem[] {
  const own = latin.test(word) ? languages : cyrillic.test(word) ? (["ru"] as const) : [];
  return own.map((language) => ({ language, stem: stemOf(word, language) }));
}

/**
 * Stems met before: texts use the same words over and over. Only of short words: the engine keeps a longer piece of a text
 * as a reference to the whole text, which would then never be freed.
 */
const known = new Map<string, string>();
const mostKnown = 20_000;
const longestKnown = 12;

function stemOf(word: string, language: StemmedLanguage): string {
  const key = `${language}:${word}`;
  let stem = known.get(key);
  if (stem === undefined) {
    stem = stemmers[language](word).normalize("NFD").replace(/\p{M}/gu, "");
    if (known.size >= mostKnown) known.clear();
    if (word.length <= longestKnown) known.set(key, stem);
  }
  return stem;
}
