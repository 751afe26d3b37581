/**
 * Leaves out the small words that a reader puts back without thinking. Negations, modals, question words, pronouns that
 * say who, and everything in quotes or code stay: dropping those would change what was said.
 */
const small =
  /(?<![\p{L}\p{N}'’_./-])(?:the|a|an|is|are|was|were|am|be|been|being|that|which|just|really|very|actually|basically|simply|quite|please|also|then|there|here|well|yeah|um|uh|oh|okay|has|have|had|of|it|its|it's|that's|this|these|those|as|such|even|some|so|and|der|die|das|den|dem|des|ein|eine|einen|einem|einer|ist|sind|auch|sehr|le|la|les|du|des|un|une|est|sont|el|los|las|una|es|son|muy)(?![\p{L}\p{N}'’_./-])\s?/giu;

export function telegraph(sentence: string): string {
  if (/[`{}<>\\=]|https?:/.test(sentence)) return sentence;
  if (/["“«「]/.test(sentence)) return sentence;
  return sentence
    .replace(small, "")
    .replace(/\s{2,}/g, " ")
    .replace(/\s+([,.;:!?])/g, "$1")
    .trim();
}
