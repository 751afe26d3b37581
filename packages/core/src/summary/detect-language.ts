import { eld } from "eld/extrasmall";

const sampleChars = 20_000;
/** Code, addresses and paths are in no language, and mostly look English. */
const notProse = /```[\s\S]*?(?:```|$)|`[^`\n]*`|\S*(?:\/|::|\w\.\w|_\w)\S*/g;

/**
 * The language a text is mostly written in, as an English name a model understands ("German"). Undefined when the text is
 * too short or too odd to tell.
 */
export function detectLanguage(text: string): string | undefined {
  const sample = text.length > sampleChars ? text.slice(0, sampleChars / 2) + text.slice(-sampleChars / 2) : text;
  const found = eld.detect(sample.replaceAll(notProse, " "));
  // In a script that few languages share, a short text is enough.
  const isSure = found.isReliable() || /[^\p{Script=Latin}\P{L}]/u.test(sample);
  if (found.language === "" || !isSure) return undefined;
  return new Intl.DisplayNames(["en"], { type: "language" }).of(found.language);
}
