import { anyWord } from "../text/any-word.ts";
import { splitSentences } from "../text/split-sentences.ts";
import { binds, musing } from "./binds.ts";
import { oneLine } from "./lines.ts";
import { sayOnce } from "./say-once.ts";
import type { Source } from "./sources.ts";

/**
 * A log line, a row of JSON, a line of a diff, code or a path with a line number: output that somebody pasted. An entry of
 * a list (`- Never …`) is not: that is how people write down rules.
 */
export function looksPasted(line: string): boolean {
  // What it is shows early; the engine notes each letter on its stack, which millions of them overflow.
  const start = line.slice(0, 9999);
  return pastedStart.test(start) || /\\n|[{}]|=>|\(use "git |\.\w{1,5}:\d+(?::\d+)?\b|;\s*(?:\/\/|$)/.test(start);
}

const pastedStart =
  /^(?:\s*(?:(?:2[1-9]|[3-9]\d|\d{3,6}): |\w*Error\b|at |[>$#] )|[^\p{L}\p{N}]*\d{4}-\d\d-\d\d[T ]|(?:ERROR|WARN|INFO|DEBUG)\b|\+[ \p{L}<#_*`]|- (?:\s|.*(?:\w\(|\w = )|(?:import|return|const|let|var|def|func|fn|class|export) )|(?:---|\+\+\+|@@) |diff --git |index [0-9a-f]{7}|`[^`]+`$|`{3})/u;

/**
 * Whether a line has words of the user: not what a client writes into their messages (`[Request interrupted by user]`,
 * `<command-name>…`), nor output of a program that they pasted, which opens with a date and time or an emoji, or ends in a
 * count of steps, `[1/2]`.
 */
export function isOwn(line: string): boolean {
  return (
    !looksPasted(line) &&
    /\p{L}{2}/u.test(line) &&
    !/^\[[^\]]{0,9999}\]$|^<\/?[a-z][\w-]*[ />]|^\[?\d+[/-]\d+[/-]\d+ \d+:\d\d|^\p{Extended_Pictographic}|\[\d+\/\d+\]$/iu.test(
      line,
    )
  );
}

/** A diff from its first line to its last: somebody else's words. At most so many lines at once, for the engine's stack. */
export const diffs = /diff --git .*(?:\n(?:[-+@\\ ]|index |\w+ (?:file|mode|index|from|to) |Binary |$).*){0,9999}/gm;

/** Whether a sentence binds. Questions bind nobody; equals bind each other only by orders. */
export function isRule(sentence: string, equals = false): boolean {
  // Who muses stays: "I don't see any icons except the battery" would be left as an order about any icons.
  const plain = sentence.slice(0, 400).replace(/’/g, "'").replace(musing, "$1");
  return !looksPasted(plain) && !/[?？]\s*$/.test(plain) && binds(plain, equals);
}

/** A rule of the user, as it was said. */
export interface Rule {
  readonly text: string;
  readonly id: string | undefined;
  /** Index of its message; -1 when an earlier digest carried it. */
  readonly message: number;
}

/** Longer sentences are paragraphs; nobody binds by them. */
const longestRule = 300;

/**
 * What the user laid down, in order, each once: rules that earlier digests carry, sentences of the user that bind, and
 * the instructions that a client puts into the user's messages (project files, reminders). What tools, files and the
 * assistant say never becomes a rule.
 */
export function findRules(sources: readonly Source[], carried: readonly string[], equals = false): Rule[] {
  const rules = new Map<string, Rule>();
  for (const line of carried) {
    const { id, text } = readId(line);
    rules.set(text, { text, id, message: -1 });
  }
  for (const source of sources) {
    if (source.kind !== "text" || source.by !== "user" || source.carried) continue;
    for (const text of bindingSentences(source.text, equals)) {
      // Said again it counts as new: it may have been taken back in between.
      rules.delete(text);
      rules.set(text, { text, id: source.id, message: source.message });
    }
  }
  return sayOnce([...rules.values()], ({ text }) => text);
}

/**
 * The sentences of a user's text that bind, each on one line, without the mark of the list they may stand in. Under a
 * title such as "Rules:" every entry of the list binds, however it is put.
 */
export function bindingSentences(text: string, equals = false): string[] {
  const rules: string[] = [];
  let title = "";
  let heading = "";
  for (const line of text.replace(diffs, "").split("\n")) {
    if (line.trim() === "") continue;
    const mark = listMark.exec(line);
    const sentences = splitSentences(line);
    if (mark === null && !(title !== "" && /^\s/.test(line))) {
      heading = sentences.at(-1)?.text ?? "";
      title = ruleTitle.test(heading) ? line : "";
    }
    if (mark !== null && looksPasted(line.trim())) continue;
    const listed = title !== "" && title !== line;
    // "Never:" and "- commit to main" say the opposite when they are torn apart.
    const lead = listed && turningTitle.test(heading) ? `${oneLine(heading)} ` : "";
    for (const { text: sentence } of sentences) {
      const rule = oneLine(sentence)
        .replace(/^#{1,6} /, "")
        .replace(listMark, "");
      const announces = title === line && sentence === heading && /[:：]\**\s*$/.test(heading);
      if (rule.length < (listed ? 3 : 6) || rule.length > longestRule) continue;
      // Words in bold bind as plain ones do.
      if (listed ? !/[?？]\s*$/.test(rule) : !announces && isRule(rule.replace(/\*\*|__/g, ""), equals))
        rules.push(`${lead}${rule}`);
    }
  }
  return rules;
}

/** `- `, `* `, `• `, `1. `, `2) `, `(a) `, and the box of a check list. */
export const listMark = /^\s*(?:[-*•‣◦–] |\d{1,3}[.)] |\([\da-z]{1,2}\) )(?:\[[ xX]\] )?/;
/** Titles that change what their entries say. "I don't have my email, so please use:" does not, it tells of the user. */
const tells = "(?<!\\b(?:i|they|he|she|it)(?: \\w{1,12})? )";
const turning = `${tells}(?:never|avoid|don['’]?ts?|do not)|(?:i|we) (?:never|don['’]t|do not) (?:want|like|accept)|niemals|nie|vermeide|jamais|nunca|mai|никогда|nigdy`;
const turningTitle = anyWord(turning, "不要|禁止");
/** A line that says that a list of rules follows: it ends in a colon, or is a heading. */
const ruleTitle = new RegExp(
  "^(?=.{3,90}$)(?=#|\\*\\*[^*]+\\*\\*[:：]?\\s*$|.*[:：]\\**\\s*$)(?!.*[?？])" +
    `.*(?:(?<!\\p{L})(?:${turning}|rules?|constraints?|conventions?|guidelines?|preferences?|${tells}(?<!n['’]t |not |never )remember|${tells}always|regeln?` +
    "|règles?|reglas?|regole|regras?|правила|zasady)(?!\\p{L})|规则|规范|不要|禁止|ルール|規約|규칙)",
  "iu",
);

/** A rule, or anything else that was said, as a line of a digest, and back. */
export function withId({ text, id }: Pick<Rule, "text" | "id">): string {
  return id === undefined ? text : `${text} [${id}]`;
}

export function readId(line: string): { text: string; id: string | undefined } {
  const cited = / \[(m\d{1,7})\]$/.exec(line);
  return cited === null ? { text: line, id: undefined } : { text: line.slice(0, cited.index), id: cited[1] };
}
