/**
 * The language a text is mostly written in, as an English name a model understands ("German"), by its script and, for
 * Latin and Cyrillic, by its commonest small words. Undefined when the text is too short or too odd to tell.
 */
const scripts: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Japanese", /[\u3040-\u30ff]/g],
  ["Korean", /[\uac00-\ud7af]/g],
  ["Chinese", /[\u3400-\u9fff]/g],
  ["Thai", /[\u0e00-\u0e7f]/g],
  ["Arabic", /[\u0600-\u06ff]/g],
  ["Hebrew", /[\u0590-\u05ff]/g],
  ["Hindi", /[\u0900-\u097f]/g],
  ["Greek", /[\u0370-\u03ff]/g],
];

const smallWords: Readonly<Record<string, string>> = {
  English: "the and you that is are was for with this have not what can it of to in my please we be on",
  German: "der die das und ist nicht ich sie mit ein eine für auf den von zu wie bitte kann wir auch es im dem sind",
  French: "le la les des est et vous je pas pour dans une que qui sur avec ce il nous du au ne sont mais",
  Spanish: "el los las que de y es en un una por para con no se lo como más pero está del al mi qué",
  Portuguese: "o os as que de e é em um uma por para com não se mais mas está do da ao você eu na no",
  Italian: "il lo gli che di e è in un una per con non si come più ma sono del della al mi questo",
  Dutch: "de het een en is niet ik van op te dat met voor zijn je aan er maar wat kan hoe ook",
  Polish: "nie to się na jest że do jak co czy tak ale mam dla od po proszę jestem ten przez oraz",
  Vietnamese: "là của và có không cho tôi được một các này với trong người bạn như thế để khi đã",
  Indonesian: "yang dan di untuk dengan ini itu tidak saya dari anda pada adalah ke akan bisa apa dalam ada",
  Turkish: "ve bir bu için ile ne da de mi ben çok var daha gibi ama değil olarak",
  Russian: "и в не на я что с как это по но мы вы к у за из то для так же от все бы",
  Ukrainian: "і в не на я що з як це та до ми ви для так але від у бути є",
};

const words: ReadonlyMap<string, readonly string[]> = index(smallWords);
const sampleChars = 20_000;

export function detectLanguage(text: string): string | undefined {
  const sample = text.length > sampleChars ? text.slice(0, sampleChars / 2) + text.slice(-sampleChars / 2) : text;
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  if (letters < 4) return undefined;
  for (const [name, pattern] of scripts) {
    const share = (sample.match(pattern)?.length ?? 0) / letters;
    // Japanese mixes in Chinese characters, everybody mixes in Latin ones.
    if (share > (name === "Japanese" ? 0.1 : 0.3)) return name;
  }
  return byWords(sample);
}

function byWords(sample: string): string | undefined {
  const scores = new Map<string, number>();
  for (const [found] of sample.toLowerCase().matchAll(/[\p{L}]+/gu)) {
    const names = words.get(found);
    if (names === undefined) continue;
    for (const name of names) scores.set(name, (scores.get(name) ?? 0) + 1 / names.length);
  }
  let best: string | undefined;
  let most = 0.9;
  for (const [name, score] of scores) {
    if (score <= most) continue;
    most = score;
    best = name;
  }
  return best;
}

function index(lists: Readonly<Record<string, string>>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, list] of Object.entries(lists)) {
    for (const word of list.split(" ")) found.set(word, [...(found.get(word) ?? []), name]);
  }
  return found;
}
