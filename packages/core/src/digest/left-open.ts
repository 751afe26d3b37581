import { splitSentences } from "../text/split-sentences.ts";
import { clip, oneLine } from "./lines.ts";
import { isRequest } from "./requests.ts";
import { listMark, withId } from "./rules.ts";
import type { Source } from "./sources.ts";
import { announces } from "./story.ts";

/** How people say that something is not done. "Remain" alone also tells what stays as it is. */
const open =
  /\b(?:still[- ](?:open|to do|missing|outstanding|untested|undone)|outstanding|unresolved|(?:that|this|which) leaves|only (?:\S+ ){1,4}(?:remains?\b|(?:is|are) left)|left to (?:do|fix|check|close)|left (?:open|undone)|not yet (?:been )?(?:done|tested|fixed|implemented|verified|covered|wired)|noch offen|steht noch aus|fehlt noch|queda pendiente|reste à|en suspens|осталось)(?!\p{L})|待办|尚未|未完成|未対応/iu;
/** What a title says so of. */
const openTitle =
  /\b(?:remaining|next steps?|open (?:questions?|items?|points?|issues?)|to-?dos?|offen\w*|pendientes?)\b|剩余|下一步|残り/i;
const denied = /\b(?:no|not|nothing|none|without|kein\w*)\b[^.,;]{0,30}$/i;
/** Of so many requests: what was left open before has mostly been done since. */
const mostReports = 8;
const longest = 240;

/**
 * What the newest report that says so left open, with the list it opens: "Still open from the review: …". Only reports: what
 * is left in the middle of the work is done at its end.
 */
export function findLeftOpen(sources: readonly Source[]): string | undefined {
  const reports: Source[] = [];
  let said: Source[] = [];
  for (const source of sources) {
    if (isRequest(source)) {
      reports.push(...said);
      said = [];
    } else if (source.kind === "call") said = [];
    else if (source.kind === "text" && source.by === "assistant" && !source.carried) {
      if (said[0]?.message !== source.message) said = [];
      said.push(source);
    }
  }
  const messages = new Set(reports.map(({ message }) => message));
  const newest = new Set([...messages].slice(-mostReports));
  for (const { text, id } of reports.filter(({ message }) => newest.has(message)).toReversed()) {
    const lines = splitSentences(text.slice(-6000)).map((sentence) => oneLine(sentence.text));
    for (const [at, line] of lines.entries()) {
      const opens = /[:：]\**$|^#|^\*\*[^*]+\*\*$/.test(line);
      const found =
        open.exec(line) ?? (opens && !announces.test(line.replace(/[:：]\W*$/, "")) ? openTitle.exec(line) : null);
      if (!found || denied.test(line.slice(0, found.index)) || /[?？]\W*$|^\|/.test(line)) continue;
      let told = line.replace(/^#+ /, "").replace(listMark, "");
      for (const next of opens ? lines.slice(at + 1) : []) {
        if (told.length > longest / 2 && told.length + next.length > longest) break;
        told += ` ${next}`;
      }
      return withId({ text: clip(told, longest), id });
    }
  }
  return undefined;
}
