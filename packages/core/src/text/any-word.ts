/**
 * A pattern for whole words, and for words of languages that write no spaces, which stand anywhere. Letters of Latin,
 * Greek and Cyrillic begin the whole ones: inside a word and in other scripts the list, which is long, is not tried.
 */
export function anyWord(whole: string, anywhere = "", flags = "iu"): RegExp {
  const start = "(?<![a-z])(?=[a-zà-ӿ])(?<!\\p{L})";
  return new RegExp(`${start}(?:${whole})(?!\\p{L})${anywhere && `|${anywhere}`}`, flags);
}
