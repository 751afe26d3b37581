import { expect, test } from "vitest";
import { splitSentences } from "./split-sentences.ts";

const split = (text: string) => splitSentences(text).map((sentence) => sentence.text);

test.each([
  "Der Termin ist am 3. Mai in Ulm.",
  "Im 2. Quartal wird gebaut.",
  "Wir treffen uns am 14. Juni.",
  "Mødet er den 3. maj klokken 12.",
  "Es war der 2. Versuch.",
])("an ordinal does not end a sentence: %s", (text) => {
  expect(split(text)).toEqual([text]);
});

test.each<[string, string[]]>([
  ["There are 12. The other is new.", ["There are 12.", "The other is new."]],
  ["She is 5. He is 7.", ["She is 5.", "He is 7."]],
  ["It was in 2023. May I ask why?", ["It was in 2023.", "May I ask why?"]],
  ["we took 12. then we left", ["we took 12.", "then we left"]],
  ["Es sind 30. Wir gehen.", ["Es sind 30.", "Wir gehen."]],
])("a number at its end does: %s", (text, sentences) => {
  expect(split(text)).toEqual(sentences);
});
