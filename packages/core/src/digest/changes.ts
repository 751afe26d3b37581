import { anyWord } from "../text/any-word.ts";
import { splitSentences } from "../text/split-sentences.ts";
import { stopWords } from "../text/stop-words.ts";
import { termsOf } from "../text/terms-of.ts";
import { withoutDate } from "./dates.ts";
import type { FactKind } from "./fact.ts";
import { oneLine } from "./lines.ts";
import { listMark } from "./rules.ts";
import { scanFacts } from "./scan-facts.ts";
import type { Source } from "./sources.ts";

/** Words by which somebody says that something is no longer as it was. */
const changing = anyWord(
  "now|instead|actually|changed?|moved?|updated?|new|rather|no longer|make it|raised?|lowered|increased?|reduced?|postponed|rescheduled|extended|verlegt|erhöht|gesenkt|déplacée?|reportée?|repoussée?|movi(?:ó|do|da)|aplazad[oa]|spostat[oa]|rinviat[oa]|adiad[oa]|(?:wurde|wird) auf|se (?:movió|cambió)|è stat[oa]|a été|foi|jetzt|stattdessen|geändert|verschoben|neue[rsnm]?|maintenant|plutôt|changé|nouve(?:au|lle)|ahora|cambi\\p{L}+|nuev[oa]|adesso|invece|nuov[oa]|agora|nov[oa]|теперь|вместо|нов(?:ый|ая|ое)",
  "现在|改成|改为|改到|変更|이제|변경",
  "giu",
);
/** Two sentences are about the same thing when they share this part of their words. */
const sameSubject = 0.5;
const longestSentence = 300;
/** Each change is compared with every statement before it, so only so many are read; changes after them are not noticed. */
const mostStatements = 400;
const laterMark = / \[later: [^\]]*\]/;

interface Statement {
  readonly sentence: string;
  readonly kind: FactKind;
  readonly value: string;
  readonly subject: ReadonlySet<string>;
  /** The whole text it stands in, where it is an entry of a list. */
  readonly list: string | undefined;
  later?: string | undefined;
}

/**
 * A function that writes the latest value behind a sentence of the user that states a former one: "The demo is on May 3.
 * [later: May 7]". In a digest the sentence that changed it may be missing, and then the old value would be believed.
 * Only what the user changes in so many words counts ("now", "instead", "moved"): many things have several values.
 */
export function findChanges(sources: readonly Source[], carried: readonly string[]): (line: string) => string {
  const statements: Statement[] = [];
  const read = (text: string) => {
    for (const sentence of splitSentences(text, longestSentence)) {
      const line = plain(oneLine(sentence.text));
      const list = listMark.test(line) ? text : undefined;
      const found = valuesIn(line);
      const last = found.at(-1);
      if (last === undefined || statements.length >= mostStatements) continue;
      const changes = line.search(changing) !== -1;
      const subject = subjectOf(line, found);
      for (const earlier of changes ? statements : []) {
        // Entries of one list stand beside each other: the second does not change the first.
        if (list === undefined || earlier.list !== list) change(earlier, last, subject);
      }
      for (const one of found) {
        // "On 3 May, and the port is 48213" states both; of two sums it is not known which one changes.
        const alone = found.filter(({ kind }) => kind === one.kind).length === 1;
        if (alone || (changes && one === last)) statements.push({ sentence: line, ...one, subject, list });
      }
    }
  };
  for (const line of carried) read(line);
  for (const { kind, by, text } of sources) if (kind === "text" && by === "user" && /\d/.test(text)) read(text);
  const changed = statements.filter(({ later }) => later !== undefined);
  if (changed.length === 0) return (line) => line;
  return (line) => {
    const bare = plain(line);
    const former = changed.find(
      ({ sentence, value }) => bare.includes(value) && (bare.includes(sentence) || sentence.includes(bare)),
    );
    return former === undefined ? line : `${line.replace(laterMark, "")} [later: ${former.later?.replace(/\.$/, "")}]`;
  };
}

/** Where both are about the same thing, the earlier one gets the later value; or none, where it is the same again. */
function change(
  earlier: Statement,
  { kind, value }: Pick<Statement, "kind" | "value">,
  subject: ReadonlySet<string>,
): void {
  if (earlier.kind !== kind) return;
  const shared = [...subject].filter((term) => earlier.subject.has(term)).length;
  const all = subject.size + earlier.subject.size - shared;
  if (shared === 0 || shared / all < sameSubject) return;
  earlier.later = earlier.value === value ? undefined : value;
}

function valuesIn(line: string): { kind: FactKind; value: string }[] {
  const found: { kind: FactKind; value: string }[] = [];
  scanFacts(
    line,
    (kind, start, end) => {
      // A symbol is a name, not a value.
      if (kind !== "symbol") found.push({ kind, value: line.slice(start, end) });
    },
    { names: false },
  );
  return found;
}

/** What a sentence is about: its words without values, small words and those that say that something changed. */
function subjectOf(line: string, values: readonly Pick<Statement, "value">[]): ReadonlySet<string> {
  let rest = line.replace(changing, " ");
  for (const { value } of values) rest = rest.replace(value, " ");
  return new Set(termsOf(rest).filter((term) => !stopWords.has(term)));
}

/** As it was said: without dates, citations and marks of a digest. */
function plain(line: string): string {
  return withoutDate(line).replace(/ \[(?:later: [^\]]*|m\d+)\]/g, "");
}
