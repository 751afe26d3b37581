import type { LatinLanguage } from "./stemmers.ts";

/** Small words that nearly every sentence of a language has some of. Those of two languages speak for both. */
const smallWords: Readonly<Record<LatinLanguage, string>> = {
  de: "der die das und ist nicht ein eine einen dem den in mit zu auf für von ich wir sie es auch wie wird wurde war was hat haben sich im am bei aus nach wer welche warum oder aber noch mein dein uns kann sind als so",
  en: "the and of to in is are was were you your that this it with for have has no not what which when how as we they from did does would can be my at i he she do been will come there their so who where",
  es: "el la los las y es de del un una en por para que con no se si su lo al como más pero está son qué cuál dónde fue ha hay yo mi tu te muy esta este ser tiene cómo quién",
  fr: "le la les et est des du un une dans en pour que qui ne pas sur avec ce cette il elle nous vous je se si son au aux par plus sont été quel quelle où mais ou ont c qu d l tu",
  it: "il lo la gli i le e è di del della dei delle un una in per che con no non si se sono al alla nel nella come più ma questo questa ha ho quale dove chi era anche ci cosa mi ti tu perché quando degli",
  nl: "de het een en is van in op te dat die niet met voor zijn er aan al ook als maar om door bij naar was wat welke hoe waar wie ik je we wij jullie heeft hebben wordt werd kan dit deze uit nog",
  pt: "o os as e é do da dos das um uma em no na nos nas por para que com não se ao mais como mas foi são está qual onde quem você eu tu isso esta este tem ser pelo pela seu sua à",
};

export const latinLanguages = Object.keys(smallWords) as readonly LatinLanguage[];

const speaksFor = new Map<string, LatinLanguage[]>();
for (const language of latinLanguages) {
  for (const word of smallWords[language].split(" ")) speaksFor.set(word, [...(speaksFor.get(word) ?? []), language]);
}

/** With fewer votes than this part of the most, it is another language that has a few of the same words. */
const leastOfMost = 0.67;

/** The languages that lower-case words may be of, by the small ones among them; none where those do not tell. */
export function guessLanguages(words: readonly string[]): readonly LatinLanguage[] {
  const votes = new Map<LatinLanguage, number>();
  for (const word of words) {
    const languages = speaksFor.get(word);
    for (const language of languages ?? []) votes.set(language, (votes.get(language) ?? 0) + 1 / languages!.length);
  }
  const least = Math.max(0, ...votes.values()) * leastOfMost;
  return [...votes].filter(([, count]) => count >= least).map(([language]) => language);
}
