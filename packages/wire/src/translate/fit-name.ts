import { hashText } from "./hash-text.ts";

export interface NameRule {
  readonly pattern: RegExp;
  readonly length: number;
}

const hashLength = 8;

/**
 * A name or id that obeys the rule: itself when it already does, otherwise a readable start and a hash of the whole.
 * The same name always becomes the same one, so a call and its result still match without any memory.
 */
export function fitName(name: string, rule: NameRule): string {
  if (name.length <= rule.length && rule.pattern.test(name)) return name;
  if (rule.length < 2 * hashLength) return hashText(name, rule.length);
  const start = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, rule.length - hashLength - 1);
  return `${start}_${hashText(name, hashLength)}`;
}
